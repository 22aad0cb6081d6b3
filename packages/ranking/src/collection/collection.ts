import { ENTRY_SHIFT, type TermLists } from '../bm25/flat-index.ts';
import { IndexStore } from '../bm25/index-store.ts';
import { IndexView } from '../bm25/index-view.ts';
import { BM25_DEFAULTS } from '../bm25/parameters.ts';
import { readLoosely, readQuery } from '../bm25/read-query.ts';
import { TermCollector } from '../bm25/term-collector.ts';
import { TermTable } from '../bm25/term-table.ts';
import { type Catalogue, catalogueOf } from '../catalogue/catalogue.ts';
import { NameIndex } from '../names/name-index.ts';
import { Bm25Index } from '../rankers/bm25.ts';
import { DocumentTable } from '../tools/document-table.ts';
import type { ToolDocument } from '../tools/tool-document.ts';

/** One thing that a query asks for, in terms that some document has. */
export interface AskedConcept {
  readonly terms: readonly AskedTerm[];
}

export interface AskedTerm {
  readonly term: string;
  /** What a document gains by it at most, but for how often and where it has it: its weight in the query by its inverse document frequency. */
  readonly gain: number;
  /** Documents that have it. */
  readonly documents: number;
}

/** One state of a collection. Never changes; keep it for as long as a search runs. */
export interface CollectionView {
  /** Number of documents. */
  readonly size: number;
  /** What a query asks for, rarest first; nothing when no document has any of its words. */
  read(query: string): readonly AskedConcept[];
  /** The same where that found nothing: by terms that begin or look alike. */
  readLoosely(query: string): readonly AskedConcept[];
  /**
   * Some of the documents, to be searched with `findTools`, in the order that is given. Their scores are those that they have among all
   * documents; only what all documents of a search have in common, the best score of all, is that of the sample. All of them must be counted in.
   */
  sample(documents: readonly SampledDocument[]): Catalogue;
}

/** A document of a sample. */
export interface SampledDocument {
  /** Its name, and then its aliases. */
  readonly names: readonly [string, ...string[]];
  /** What it came to when it was counted in, if that is at hand. Patterns are then looked for in its name alone. */
  readonly counted?: CountedDocument | undefined;
  /** The document itself, where what it came to is not at hand, or no longer of use. */
  readonly read: () => ToolDocument;
}

/** What a document that is counted in came to. */
export interface CountedDocument {
  readonly batch: CountedBatch;
  /** Which of the batch. */
  readonly at: number;
}

/** Documents that were counted in together. */
export interface CountedBatch extends TermLists {
  /** What the numbers of the entries mean. */
  terms: TermTable;
  /** Documents that are still counted in. */
  left: number;
}

/** Fewer terms than this are not worth looking for those that are gone. */
const LEAST_TERMS = 10_000;

/**
 * What many documents come to together: how many there are, how long they are, and how many have each term. That is all that the score of
 * one of them takes from the others, so that an engine can keep the documents and this process can still rank what it finds.
 *
 * Everything is a sum of integers: the same documents give the same scores, in whatever order they came and went.
 */
export class Collection {
  #terms = new TermTable([]);
  /** By term, with room to grow. */
  #frequencies = new Uint32Array(1 << 10);
  /** Terms that some document has. */
  #present = 0;
  #size = 0;
  #totalLength = 0;
  /** With documents that are counted in. */
  readonly #batches = new Set<CountedBatch>();
  #batchBytes = 0;
  #view: CollectionView | undefined;

  get size(): number {
    return this.#size;
  }

  /** Memory held, in bytes, roughly. */
  get bytes(): number {
    return this.#frequencies.byteLength + this.#terms.size * TERM_BYTES + this.#batchBytes;
  }

  /** Counts documents in, and gives what each came to. */
  add(documents: readonly ToolDocument[]): readonly CountedDocument[] {
    if (documents.length === 0) return [];
    const batch = { ...collectTerms(documents, this.#terms), terms: this.#terms, left: documents.length };
    this.#batches.add(batch);
    this.#batchBytes += bytesOf(batch);
    this.#makeRoom(this.#terms.size);
    const counted = documents.map((_, at) => ({ batch, at }));
    this.#count(counted, 1);
    return counted;
  }

  /** Counts documents out, each of them once. */
  remove(counted: readonly CountedDocument[]): void {
    this.#count(counted, -1);
    for (const { batch } of counted) {
      batch.left--;
      if (batch.left === 0 && this.#batches.delete(batch)) this.#batchBytes -= bytesOf(batch);
    }
    if (this.#terms.size > LEAST_TERMS + 2 * this.#present) this.#forgetGone();
  }

  /** The state now: one for all searches until something changes. */
  view(): CollectionView {
    this.#view ??= viewOf({
      terms: this.#terms,
      frequencies: this.#frequencies.slice(0, this.#terms.size),
      size: this.#size,
      totalLength: this.#totalLength,
    });
    return this.#view;
  }

  #count(counted: readonly CountedDocument[], by: 1 | -1): void {
    for (const { batch, at } of counted) {
      const { entries, entryStart, lengths } = batch;
      for (let entry = entryStart[at]!; entry < entryStart[at + 1]!; entry++) {
        const term = entries[entry]! >>> ENTRY_SHIFT;
        this.#frequencies[term]! += by;
        const frequency = this.#frequencies[term]!;
        if (by === 1 && frequency === 1) this.#present++;
        if (by === -1 && frequency === 0) this.#present--;
      }
      this.#size += by;
      this.#totalLength += by * lengths[at]!;
    }
    if (counted.length > 0) this.#view = undefined;
  }

  /** Numbers the terms anew that some document has. Views keep the table that they know. */
  #forgetGone(): void {
    const newNumbers = new Uint32Array(this.#terms.size);
    const present = this.#terms.texts.flatMap((text, term) => {
      const frequency = this.#frequencies[term]!;
      return frequency > 0 ? [{ text, term, frequency }] : [];
    });
    present.forEach(({ term }, number) => {
      newNumbers[term] = number;
    });
    this.#terms = new TermTable(present.map(({ text }) => text));
    this.#frequencies = Uint32Array.from(present, ({ frequency }) => frequency);
    for (const batch of this.#batches) renumber(batch, newNumbers, this.#terms);
  }

  #makeRoom(terms: number): void {
    if (terms <= this.#frequencies.length) return;
    const larger = new Uint32Array(terms + (terms >> 1));
    larger.set(this.#frequencies);
    this.#frequencies = larger;
  }
}

function collectTerms(documents: readonly ToolDocument[], terms: TermTable): TermLists {
  const collector = new TermCollector(terms, BM25_DEFAULTS.fieldWeights);
  for (const document of documents) collector.add(document);
  return collector.finish();
}

function bytesOf({ lengths, entryStart, entries, entryWeight }: TermLists): number {
  return [lengths, entryStart, entries, entryWeight].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** What documents of the batch that are gone had may be of no term any more; nobody looks at them. */
function renumber(batch: CountedBatch, newNumbers: Uint32Array, terms: TermTable): void {
  const { entries } = batch;
  for (let at = 0; at < entries.length; at++)
    entries[at] = (newNumbers[entries[at]! >>> ENTRY_SHIFT]! << ENTRY_SHIFT) | (entries[at]! & ENTRY_MASK);
  batch.terms = terms;
}

const ENTRY_MASK = (1 << ENTRY_SHIFT) - 1;

/** A term's string and its place in the table's maps. */
const TERM_BYTES = 140;

interface CollectionState {
  readonly terms: TermTable;
  readonly frequencies: Uint32Array;
  readonly size: number;
  readonly totalLength: number;
}

function viewOf(state: CollectionState): CollectionView {
  const { terms, size } = state;
  const whole = IndexView.ofStatistics(emptyStore(terms), state);
  const read = (query: string) => readQuery(query, whole.vocabulary, BM25_DEFAULTS);
  const toAsked = ({ concepts }: ReturnType<typeof readQuery>): readonly AskedConcept[] =>
    concepts
      .filter((concept) => concept.terms.length > 0)
      .map((concept) => ({
        terms: concept.terms.map(({ term, weight }) => ({
          term: terms.text(term),
          gain: weight * whole.idf(term),
          documents: state.frequencies[term]!,
        })),
      }))
      .sort((left, right) => bestGain(right) - bestGain(left));
  return {
    size,
    read: (query) => toAsked(read(query)),
    readLoosely: (query) => toAsked(readLoosely(read(query), whole.vocabulary)),
    sample(sampled) {
      // Terms may have been numbered anew since this view was taken.
      const countedOf = ({ counted }: SampledDocument) =>
        counted?.batch.terms === terms ? counted : undefined;
      const read = sampled.map((document) =>
        countedOf(document) === undefined ? document.read() : undefined,
      );
      const unread = collectTerms(
        read.filter((document) => document !== undefined),
        terms,
      );
      let next = 0;
      const store = emptyStore(terms);
      store.appendLists(
        joinLists(sampled.map((document) => countedOf(document) ?? { batch: unread, at: next++ })),
      );
      const named = sampled.map(({ names: [name] }) => ({ name, description: '', parameters: [] }));
      const table = DocumentTable.of(named.map((document, at) => read[at] ?? document));
      const names = new NameIndex(named.map(({ name }) => name));
      for (const [
        position,
        {
          names: [, ...aliases],
        },
      ] of sampled.entries())
        for (const alias of aliases) names.add(alias, position);
      const index = new Bm25Index(IndexView.ofStatistics(store, state), BM25_DEFAULTS);
      return catalogueOf({ table, index, names });
    },
  };
}

/** Some documents of several lists as one list. */
function joinLists(documents: readonly { readonly batch: TermLists; readonly at: number }[]): TermLists {
  const entryStart = new Uint32Array(documents.length + 1);
  documents.forEach(({ batch, at }, place) => {
    entryStart[place + 1] = entryStart[place]! + batch.entryStart[at + 1]! - batch.entryStart[at]!;
  });
  const entries = new Uint32Array(entryStart.at(-1)!);
  const entryWeight = new Uint32Array(entries.length);
  documents.forEach(({ batch, at }, place) => {
    const [start, end] = [batch.entryStart[at]!, batch.entryStart[at + 1]!];
    entries.set(batch.entries.subarray(start, end), entryStart[place]!);
    entryWeight.set(batch.entryWeight.subarray(start, end), entryStart[place]!);
  });
  return {
    lengths: Uint32Array.from(documents, ({ batch, at }) => batch.lengths[at]!),
    entryStart,
    entries,
    entryWeight,
  };
}

function bestGain({ terms }: AskedConcept): number {
  return Math.max(...terms.map(({ gain }) => gain));
}

/** A store without documents, with the terms of many. */
function emptyStore(terms: TermTable): IndexStore {
  const none = new Uint32Array(0);
  const base = {
    documentCount: 0,
    terms: [],
    lengths: none,
    entryStart: Uint32Array.of(0),
    entries: none,
    postingStart: Uint32Array.of(0),
    postingDocument: none,
    postingWeight: none,
  };
  return new IndexStore(base, terms);
}
