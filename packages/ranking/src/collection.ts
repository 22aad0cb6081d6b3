import { ENTRY_SHIFT } from './bm25/flat-index.ts';
import { IndexStore } from './bm25/index-store.ts';
import { IndexView } from './bm25/index-view.ts';
import { BM25_DEFAULTS } from './bm25/parameters.ts';
import { readLoosely, readQuery } from './bm25/read-query.ts';
import { TermCollector } from './bm25/term-collector.ts';
import { TermTable } from './bm25/term-table.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';
import type { ToolDocument } from './document.ts';
import { DocumentTable } from './document-table.ts';
import { NameIndex } from './name-index.ts';
import { Bm25Index } from './rankers/bm25.ts';

/** One thing that a query asks for, in terms that some document has. */
export interface AskedConcept {
  readonly terms: readonly AskedTerm[];
}

export interface AskedTerm {
  readonly term: string;
  /** What a document gains by it at most, but for how often and where it has it: its weight in the query by its inverse document frequency. */
  readonly gain: number;
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
  sample(documents: readonly ToolDocument[]): Catalogue;
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
  #view: CollectionView | undefined;

  get size(): number {
    return this.#size;
  }

  /** Memory held, in bytes, roughly. */
  get bytes(): number {
    return this.#frequencies.byteLength + this.#terms.texts.length * TERM_BYTES;
  }

  /** Counts documents in. */
  add(documents: readonly ToolDocument[]): void {
    this.#count(documents, 1);
  }

  /** Counts documents out that were counted in, as they were then. */
  remove(documents: readonly ToolDocument[]): void {
    this.#count(documents, -1);
  }

  /** The state now: one for all searches until something changes. */
  view(): CollectionView {
    this.#view ??= viewOf({
      terms: this.#terms,
      frequencies: this.#frequencies.slice(0, this.#terms.texts.length),
      size: this.#size,
      totalLength: this.#totalLength,
    });
    return this.#view;
  }

  #count(documents: readonly ToolDocument[], by: 1 | -1): void {
    if (documents.length === 0) return;
    const collector = new TermCollector(this.#terms, BM25_DEFAULTS.fieldWeights);
    for (const document of documents) collector.add(document);
    const { lengths, entries } = collector.finish();
    this.#makeRoom(this.#terms.texts.length);
    for (const entry of entries) {
      const term = entry >>> ENTRY_SHIFT;
      this.#frequencies[term]! += by;
      const frequency = this.#frequencies[term]!;
      if (by === 1 && frequency === 1) this.#present++;
      if (by === -1 && frequency === 0) this.#present--;
    }
    this.#size += by * documents.length;
    for (const length of lengths) this.#totalLength += by * length;
    this.#view = undefined;
    if (this.#terms.texts.length > LEAST_TERMS + 2 * this.#present) this.#forgetGone();
  }

  /** Numbers the terms anew that some document has. Views keep the table that they know. */
  #forgetGone(): void {
    const present = this.#terms.texts.flatMap((text, term) => {
      const frequency = this.#frequencies[term]!;
      return frequency > 0 ? [{ text, frequency }] : [];
    });
    this.#terms = new TermTable(present.map(({ text }) => text));
    this.#frequencies = Uint32Array.from(present, ({ frequency }) => frequency);
  }

  #makeRoom(terms: number): void {
    if (terms <= this.#frequencies.length) return;
    const larger = new Uint32Array(terms + (terms >> 1));
    larger.set(this.#frequencies);
    this.#frequencies = larger;
  }
}

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
          term: terms.texts[term]!,
          gain: weight * whole.idf(term),
        })),
      }))
      .sort((left, right) => bestGain(right) - bestGain(left));
  return {
    size,
    read: (query) => toAsked(read(query)),
    readLoosely: (query) => toAsked(readLoosely(read(query), whole.vocabulary)),
    sample(documents) {
      const store = emptyStore(terms);
      store.append(documents, BM25_DEFAULTS);
      const table = DocumentTable.of(documents);
      const names = new NameIndex(documents.map(({ name }) => name));
      for (const [position, { aliases = [] }] of documents.entries())
        for (const alias of aliases) names.add(alias, position);
      const index = new Bm25Index(IndexView.ofStatistics(store, state), BM25_DEFAULTS);
      return catalogueOf({ table, index, names });
    },
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
