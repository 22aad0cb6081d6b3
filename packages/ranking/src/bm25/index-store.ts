import type { ToolDocument } from '../tools/tool-document.ts';
import type { Bm25Parameters } from './parameters.ts';
import { ENTRY_SHIFT } from './postings.ts';
import { TermReader } from './read-terms.ts';
import { TermTable } from './terms.ts';

/** Documents that contain a term: document and posting (weight and fields) in turn. */
export type Postings = readonly number[];

const NO_POSTINGS: Postings = [];

/** Memory of a posting in both directions, of a document, and of a term. Estimated. */
const [POSTING_BYTES, DOCUMENT_BYTES, TERM_BYTES] = [24, 120, 160];

/**
 * Documents as terms, in both directions: the distinct terms of each document, and the postings of each term.
 * No value depends on other documents.
 *
 * Numbers never change their meaning, so any number of {@link IndexView}s can share a store, each with its
 * own set of visible documents.
 */
export class IndexStore {
  readonly terms = new TermTable();
  /** By term; a later document is behind all earlier ones. */
  readonly #postings: number[][] = [];
  readonly #entries: Uint32Array[] = [];
  #lengths = new Uint32Array(16);
  #postingCount = 0;

  get documentCount(): number {
    return this.#entries.length;
  }

  /** Approximate memory held, in bytes. */
  get bytes(): number {
    const { size } = this.terms;
    return this.#postingCount * POSTING_BYTES + this.#entries.length * DOCUMENT_BYTES + size * TERM_BYTES;
  }

  /** Total weight of all words of each document. Callers must not change it; a growing store may replace it. */
  get lengths(): Uint32Array {
    return this.#lengths;
  }

  /**
   * Returns the entries of a document, `term << ENTRY_SHIFT | ENTRY_BITS`: those with any ENTRY_BITS first,
   * otherwise in order of first occurrence.
   */
  entriesOf(document: number): Uint32Array {
    return this.#entries[document]!;
  }

  postingsOf(term: number): Postings {
    return this.#postings[term] ?? NO_POSTINGS;
  }

  /** Adds documents at the end. Takes time in their texts only. */
  append(documents: readonly ToolDocument[], { fieldWeights }: Pick<Bm25Parameters, 'fieldWeights'>): void {
    const reader = new TermReader(this.terms, fieldWeights);
    for (const document of documents) {
      const { length, entries, postings } = reader.read(document);
      this.#add(length, entries);
      const number = this.#entries.length - 1;
      for (let at = 0; at < entries.length; at++)
        this.#addPosting(entries[at]! >>> ENTRY_SHIFT, number, postings[at]!);
    }
  }

  /** Returns a new store with some of the documents, in the given order. Does not read texts again. */
  copy(documents: Uint32Array): IndexStore {
    const copy = new IndexStore();
    const termOf = new Map<number, number>();
    for (const document of documents) {
      const entries = this.#entries[document]!.map((entry) => {
        const old = entry >>> ENTRY_SHIFT;
        const term = termOf.get(old) ?? copy.terms.add(this.terms.text(old));
        termOf.set(old, term);
        return (term << ENTRY_SHIFT) | (entry & ENTRY_MASK);
      });
      copy.#add(this.#lengths[document]!, entries);
    }
    const placeOf = new Int32Array(this.documentCount).fill(-1);
    documents.forEach((document, place) => {
      placeOf[document] = place;
    });
    for (const [old, term] of termOf) {
      const postings = this.postingsOf(old);
      for (let at = 0; at < postings.length; at += 2)
        if (placeOf[postings[at]!]! >= 0) copy.#addPosting(term, placeOf[postings[at]!]!, postings[at + 1]!);
    }
    return copy;
  }

  #add(length: number, entries: Uint32Array): void {
    const document = this.#entries.push(entries) - 1;
    if (document >= this.#lengths.length) {
      const larger = new Uint32Array(2 * this.#lengths.length);
      larger.set(this.#lengths);
      this.#lengths = larger;
    }
    this.#lengths[document] = length;
  }

  #addPosting(term: number, document: number, posting: number): void {
    const postings = this.#postings[term];
    if (postings === undefined) this.#postings[term] = [document, posting];
    else postings.push(document, posting);
    this.#postingCount++;
  }
}

const ENTRY_MASK = (1 << ENTRY_SHIFT) - 1;
