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

/** One concept of a query, in terms that some document has. */
export interface AskedConcept {
  readonly terms: readonly AskedTerm[];
}

export interface AskedTerm {
  readonly term: string;
  /**
   * The most that a document can gain by it, regardless of frequency and field: its weight in the query times
   * its inverse document frequency.
   */
  readonly gain: number;
  /** Number of documents that have it. */
  readonly documents: number;
}

/** One immutable state of a collection. Keep it while a search runs. */
export interface CollectionView {
  /** Number of documents. */
  readonly size: number;
  /** Returns the concepts of a query, rarest first; empty if no document has any of its words. */
  read(query: string): readonly AskedConcept[];
  /** Returns concepts for a query in which `read` found none: by terms that start alike or look similar. */
  readLoosely(query: string): readonly AskedConcept[];
  /**
   * Returns a catalogue of some documents for `findTools`, in the given order. Their scores are those among
   * all documents, except that the best score and the least nearness, which all documents of a search share, are
   * those of the sample. All of them must be counted in.
   */
  sample(documents: readonly SampledDocument[]): Catalogue;
}

/** A document of a sample. */
export interface SampledDocument {
  /** Its name, followed by its aliases. */
  readonly names: readonly [string, ...string[]];
  /** The result of counting it in, if available. Patterns are then matched against its name only. */
  readonly counted?: CountedDocument | undefined;
  /** Reads the document itself, if its counts are missing or outdated. */
  readonly read: () => ToolDocument;
}

/** The counts of a document in the collection. */
export interface CountedDocument {
  readonly batch: CountedBatch;
  /** The document's place in the batch. */
  readonly at: number;
}

/** Documents that were counted in together. */
export interface CountedBatch extends TermLists {
  /** The table that gives the entries' numbers their meaning. */
  terms: TermTable;
  /** Number of documents that are still counted in. */
  left: number;
}

/** Number of terms below which removed ones are not worth cleaning up. */
const LEAST_TERMS = 10_000;

/**
 * Total statistics of many documents: their number, their length, and the document frequency of each term. A
 * document's score depends on the others only through these, so that an engine can store the documents and
 * this process can rank its results.
 *
 * All statistics are sums of integers: the same documents give the same scores, in whatever order they were
 * added and removed.
 */
export class Collection {
  #terms = new TermTable([]);
  /** By term, with room to grow. */
  #frequencies = new Uint32Array(1 << 10);
  /** Number of terms that some document has. */
  #present = 0;
  #size = 0;
  #totalLength = 0;
  /** Batches with counted documents. */
  readonly #batches = new Set<CountedBatch>();
  #batchBytes = 0;
  #view: CollectionView | undefined;

  get size(): number {
    return this.#size;
  }

  /** Approximate memory held, in bytes. */
  get bytes(): number {
    return this.#frequencies.byteLength + this.#terms.size * TERM_BYTES + this.#batchBytes;
  }

  /** Counts documents in; returns the counts of each. */
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

  /** Counts documents out; each must be counted in. */
  remove(counted: readonly CountedDocument[]): void {
    this.#count(counted, -1);
    for (const { batch } of counted) {
      batch.left--;
      if (batch.left === 0 && this.#batches.delete(batch)) this.#batchBytes -= bytesOf(batch);
    }
    if (this.#terms.size > LEAST_TERMS + 2 * this.#present) this.#forgetGone();
  }

  /** Returns the current state, shared by all searches until the next change. */
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

  /** Renumbers the terms that some document has. Views keep their old table. */
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

/** Renumbers a batch. Entries of removed documents may refer to dropped terms; they are never read. */
function renumber(batch: CountedBatch, newNumbers: Uint32Array, terms: TermTable): void {
  const { entries } = batch;
  for (let at = 0; at < entries.length; at++)
    entries[at] = (newNumbers[entries[at]! >>> ENTRY_SHIFT]! << ENTRY_SHIFT) | (entries[at]! & ENTRY_MASK);
  batch.terms = terms;
}

const ENTRY_MASK = (1 << ENTRY_SHIFT) - 1;

/** A term's string and its place in the table's maps, in bytes. */
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
      // Terms may have been renumbered since this view was made.
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

/** Joins documents of several lists into one list. */
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

/** Returns a store without documents, with the given terms. */
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
