import { ENTRY_SHIFT, FIELD_BITS, FIELD_MASK } from '../bm25/flat-index.ts';
import { BM25_DEFAULTS } from '../bm25/parameters.ts';
import { TermCollector } from '../bm25/term-collector.ts';
import { TermTable } from '../bm25/term-table.ts';
import type { ToolDocument } from '../tools/tool-document.ts';

/** The most important field that contains a term. */
export type TermPlace = 'name' | 'lead' | 'description' | 'parameters';

/**
 * A term of a document, as an index stores it: a stem, or several joined words. Contains only letters and
 * digits.
 */
export interface DocumentTerm {
  readonly term: string;
  readonly place: TermPlace;
}

/**
 * Returns the terms by which the ranker finds each document, for an engine that stores them. They may change
 * between versions of this package: see `DOCUMENT_TERMS_FORM`.
 */
export function termsOf(documents: readonly ToolDocument[]): readonly (readonly DocumentTerm[])[] {
  const terms = new TermTable([]);
  const collector = new TermCollector(terms, BM25_DEFAULTS.fieldWeights);
  for (const document of documents) collector.add(document);
  const { entryStart, entries, entryWeight } = collector.finish();
  return documents.map((_, document) =>
    Array.from({ length: entryStart[document + 1]! - entryStart[document]! }, (_, at) => {
      const entry = entryStart[document]! + at;
      return {
        term: terms.text(entries[entry]! >>> ENTRY_SHIFT),
        place: placeOf(entryWeight[entry]! & FIELD_MASK),
      };
    }),
  );
}

/**
 * Version of the terms: increases whenever `termsOf` returns other terms for the same document. Stored terms
 * must then be written again.
 */
export const DOCUMENT_TERMS_FORM = 1;

function placeOf(fields: number): TermPlace {
  if ((fields & (FIELD_BITS.namePart | FIELD_BITS.name)) !== 0) return 'name';
  if ((fields & FIELD_BITS.lead) !== 0) return 'lead';
  return (fields & FIELD_BITS.description) !== 0 ? 'description' : 'parameters';
}
