import type { ToolDocument } from '../tools/tool-document.ts';
import { ENTRY_SHIFT, type FlatIndex, type TermLists } from './flat-index.ts';
import type { Bm25Parameters } from './parameters.ts';
import { TermCollector } from './term-collector.ts';
import { TermTable } from './term-table.ts';

/** Builds the index of documents. Takes time linear in the length of the texts. */
export function buildIndex(
  documents: readonly ToolDocument[],
  { fieldWeights }: Pick<Bm25Parameters, 'fieldWeights'>,
): FlatIndex {
  const terms = new TermTable([]);
  const collector = new TermCollector(terms, fieldWeights);
  for (const document of documents) collector.add(document);
  return invert(terms.texts, collector.finish());
}

/** Adds the other direction, the postings of each term, by counting. */
export function invert(terms: readonly string[], lists: TermLists): FlatIndex {
  const { lengths, entryStart, entries, entryWeight } = lists;
  // 1. Count the postings of each term, and lay out their places.
  const postingStart = new Uint32Array(terms.length + 1);
  for (let entry = 0; entry < entries.length; entry++) postingStart[(entries[entry]! >>> ENTRY_SHIFT) + 1]!++;
  for (let term = 0; term < terms.length; term++) postingStart[term + 1]! += postingStart[term]!;

  // 2. Put each document's entries into their places.
  const postingDocument = new Uint32Array(entries.length);
  const postingWeight = new Uint32Array(entries.length);
  const nextPlace = postingStart.slice();
  for (let document = 0; document < lengths.length; document++) {
    for (let entry = entryStart[document]!; entry < entryStart[document + 1]!; entry++) {
      const place = nextPlace[entries[entry]! >>> ENTRY_SHIFT]!++;
      postingDocument[place] = document;
      postingWeight[place] = entryWeight[entry]!;
    }
  }
  return {
    documentCount: lengths.length,
    terms,
    lengths,
    entryStart,
    entries,
    postingStart,
    postingDocument,
    postingWeight,
  };
}
