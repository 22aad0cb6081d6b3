import type { ToolDocument } from '../document.ts';
import { FIELD_BITS, type FlatIndex } from './flat-index.ts';
import type { Bm25Parameters } from './parameters.ts';
import { TermCollector } from './term-collector.ts';

/**
 * The index of some documents.
 *
 * Fields are merged before saturation: a term's weight w in a document is the sum over its occurrences of their field's
 * weight, and its contribution is idf · (k1 + 1) · w / (k1 · (1 − b + b · l / l̄) + w), l being the sum of all weights.
 * Source: Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", section 3.6, with one length norm.
 * Time is linear in the length of the texts.
 */
export function buildIndex(documents: readonly ToolDocument[], parameters: Bm25Parameters): FlatIndex {
  const collector = new TermCollector(documents.length, parameters.fieldWeights);
  for (const document of documents) collector.add(document);
  const { terms, entryStart, entryTerm, entryWeight, entryFields, entryCount, lengths } = collector;
  const documentCount = documents.length;

  // 1. Count the postings of each term, and lay out their places.
  const postingStart = new Uint32Array(terms.length + 1);
  for (let entry = 0; entry < entryCount; entry++) postingStart[entryTerm[entry]! + 1]!++;
  const idf = new Float32Array(terms.length);
  for (let term = 0; term < terms.length; term++) {
    const documentFrequency = postingStart[term + 1]!;
    idf[term] = Math.log(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
    postingStart[term + 1]! += postingStart[term]!;
  }

  // 2. Put each document's entries into their places, finished.
  const index = {
    documentCount,
    terms,
    idf,
    postingStart,
    postingDocument: new Uint32Array(entryCount),
    postingScore: new Float32Array(entryCount),
    postingFields: new Uint8Array(entryCount),
    nameIdf: new Float32Array(documentCount),
    leadIdf: new Float32Array(documentCount),
  };
  const nextPlace = postingStart.slice();
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / documentCount;
  const { k1, b } = parameters;
  for (let document = 0; document < documentCount; document++) {
    const norm = k1 * (1 - b + (b * lengths[document]!) / meanLength);
    for (let entry = entryStart[document]!; entry < entryStart[document + 1]!; entry++) {
      const term = entryTerm[entry]!;
      const weight = entryWeight[entry]!;
      const fields = entryFields[entry]!;
      const place = nextPlace[term]!++;
      index.postingDocument[place] = document;
      index.postingScore[place] = (idf[term]! * (k1 + 1) * weight) / (norm + weight);
      index.postingFields[place] = fields;
      if (fields & FIELD_BITS.namePart) index.nameIdf[document]! += idf[term]!;
      if (fields & FIELD_BITS.lead) index.leadIdf[document]! += idf[term]!;
    }
  }
  return index;
}
