import { TextTable } from '../text/text-table.ts';
import type { ToolDocument } from '../tools/tool-document.ts';
import { ENTRY_SHIFT, type FlatIndex, flatIndexBytes, type TermLists } from './flat-index.ts';
import type { Bm25Parameters } from './parameters.ts';
import { TermCollector } from './term-collector.ts';
import { TermTable } from './term-table.ts';
import { TermVectors } from './term-vectors.ts';

/** Postings of a term added after the base: document and weight in turn, by ascending document. */
export type TailPostings = readonly number[];

/** A part of an array, valid until the next one is requested. */
export interface EntrySpan {
  readonly entries: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** Memory of a posting in a list of numbers, and further memory of a document. */
const TAIL_POSTING_BYTES = 24;
const TAIL_DOCUMENT_BYTES = 300;

/**
 * Documents as terms, with room for more: those of a flat index, followed by a growing tail.
 *
 * Numbers never change their meaning, so any number of {@link IndexView}s can share a store, each with its
 * own set of visible documents.
 */
export class IndexStore {
  readonly base: FlatIndex;
  readonly terms: TermTable;
  readonly vectors: TermVectors;
  readonly #tailPostings = new Map<number, number[]>();
  readonly #tailEntries: Uint32Array[] = [];
  #lengths: Uint32Array;
  #tailPostingCount = 0;
  /** Reused for every call. */
  readonly #span: { entries: Uint32Array; start: number; end: number };

  /** @param terms the terms of the base, if already available as a table. */
  constructor(base: FlatIndex, terms = new TermTable(base.terms)) {
    this.base = base;
    this.terms = terms;
    this.vectors = new TermVectors(terms);
    this.#lengths = base.lengths;
    this.#span = { entries: base.entries, start: 0, end: 0 };
  }

  get documentCount(): number {
    return this.base.documentCount + this.#tailEntries.length;
  }

  /** Number of documents after the base. */
  get tailCount(): number {
    return this.#tailEntries.length;
  }

  /** Approximate memory held, in bytes. */
  get bytes(): number {
    return (
      flatIndexBytes(this.base) +
      this.#tailPostingCount * TAIL_POSTING_BYTES +
      this.#tailEntries.length * TAIL_DOCUMENT_BYTES
    );
  }

  /** Length of each document. Callers must not change it; a growing store may replace it. */
  get lengths(): Uint32Array {
    return this.#lengths;
  }

  /** Returns the entries of a document: see `FlatIndex.entries`. A read-only view. */
  entriesOf(document: number): Uint32Array {
    const { documentCount, entries, entryStart } = this.base;
    return document < documentCount
      ? entries.subarray(entryStart[document]!, entryStart[document + 1]!)
      : this.#tailEntries[document - documentCount]!;
  }

  /** Returns the entries from `start` up to `end` without allocating a view. For scans over all documents. */
  entrySpan(document: number): EntrySpan {
    const { documentCount, entries, entryStart } = this.base;
    if (document < documentCount) {
      this.#span.entries = entries;
      this.#span.start = entryStart[document]!;
      this.#span.end = entryStart[document + 1]!;
    } else {
      this.#span.entries = this.#tailEntries[document - documentCount]!;
      this.#span.start = 0;
      this.#span.end = this.#span.entries.length;
    }
    return this.#span;
  }

  tailPostings(term: number): TailPostings | undefined {
    return this.#tailPostings.get(term);
  }

  /** Adds documents at the end. Takes time in their texts only. */
  append(documents: readonly ToolDocument[], { fieldWeights }: Pick<Bm25Parameters, 'fieldWeights'>): void {
    const collector = new TermCollector(this.terms, fieldWeights);
    for (const document of documents) collector.add(document);
    this.appendLists(collector.finish());
  }

  /** Adds documents whose terms are already known, by their numbers in the table. */
  appendLists({ lengths, entryStart, entries, entryWeight }: TermLists): void {
    const first = this.documentCount;
    this.#makeRoom(first + lengths.length);
    for (let at = 0; at < lengths.length; at++) {
      const [start, end] = [entryStart[at]!, entryStart[at + 1]!];
      this.#lengths[first + at] = lengths[at]!;
      this.#tailEntries.push(entries.slice(start, end));
      for (let entry = start; entry < end; entry++)
        this.#appendPosting(entries[entry]! >>> ENTRY_SHIFT, first + at, entryWeight[entry]!);
    }
    this.#tailPostingCount += entries.length;
  }

  /** Returns a new store with some of the documents, in the given order. Does not read texts again. */
  copy(documents: Uint32Array): IndexStore {
    const placeOf = new Int32Array(this.documentCount).fill(-1);
    documents.forEach((document, place) => {
      placeOf[document] = place;
    });
    // 1. Term by term: the postings of chosen documents, and new numbers for terms that have any.
    const terms: string[] = [];
    const termOf = new Uint32Array(this.terms.size);
    const postingCount = documents.reduce((sum, document) => sum + this.entriesOf(document).length, 0);
    const postingStart: number[] = [0];
    const postingDocument = new Uint32Array(postingCount);
    const postingWeight = new Uint32Array(postingCount);
    let end = 0;
    const add = (document: number, weight: number) => {
      const place = placeOf[document]!;
      if (place < 0) return;
      postingDocument[end] = place;
      postingWeight[end++] = weight;
    };
    for (let term = 0; term < termOf.length; term++) {
      this.eachPosting(term, add);
      if (end === postingStart.at(-1)!) continue;
      termOf[term] = terms.push(this.terms.text(term)) - 1;
      postingStart.push(end);
    }
    // 2. Document by document: its entries, under the new numbers.
    const entries = new Uint32Array(postingCount);
    const entryStart = new Uint32Array(documents.length + 1);
    let place = 0;
    documents.forEach((document, at) => {
      for (const entry of this.entriesOf(document))
        entries[place++] = (termOf[entry >>> ENTRY_SHIFT]! << ENTRY_SHIFT) | (entry & ENTRY_MASK);
      entryStart[at + 1] = place;
    });
    return new IndexStore({
      documentCount: documents.length,
      terms: TextTable.of(terms),
      lengths: documents.map((document) => this.#lengths[document]!),
      entryStart,
      entries,
      postingStart: Uint32Array.from(postingStart),
      postingDocument,
      postingWeight,
    });
  }

  /** Returns the number of the store's documents that contain a term. */
  postingCount(term: number): number {
    const { terms, postingStart } = this.base;
    const inBase = term < terms.length ? postingStart[term + 1]! - postingStart[term]! : 0;
    return inBase + (this.#tailPostings.get(term)?.length ?? 0) / 2;
  }

  /** Visits the postings of a term, by ascending document. */
  eachPosting(term: number, visit: (document: number, posting: number) => void): void {
    const { postingStart, postingDocument, postingWeight } = this.base;
    const end = term < this.base.terms.length ? postingStart[term + 1]! : 0;
    for (let at = end === 0 ? 0 : postingStart[term]!; at < end; at++)
      visit(postingDocument[at]!, postingWeight[at]!);
    const tail = this.#tailPostings.get(term) ?? [];
    for (let at = 0; at < tail.length; at += 2) visit(tail[at]!, tail[at + 1]!);
  }

  #appendPosting(term: number, document: number, weight: number): void {
    const known = this.#tailPostings.get(term);
    if (known === undefined) this.#tailPostings.set(term, [document, weight]);
    else known.push(document, weight);
  }

  #makeRoom(documentCount: number): void {
    if (documentCount <= this.#lengths.length) return;
    const larger = new Uint32Array(documentCount + (documentCount >> 2) + 16);
    larger.set(this.#lengths);
    this.#lengths = larger;
  }
}

const ENTRY_MASK = (1 << ENTRY_SHIFT) - 1;
