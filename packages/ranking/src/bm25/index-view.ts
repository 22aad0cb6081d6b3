import type { IndexChange } from '../ranker.ts';
import { ArrayState } from './array-state.ts';
import { Covers } from './covers.ts';
import { ENTRY_SHIFT } from './flat-index.ts';
import { frequencyIdfs } from './frequency-idfs.ts';
import type { IndexStore } from './index-store.ts';
import { KnownCovers } from './known-covers.ts';
import type { Bm25Parameters } from './parameters.ts';
import { Vocabulary } from './vocabulary.ts';

/**
 * One state of an index: some documents of a store, and the statistics of exactly these.
 *
 * Contract: never changes; `with` gives the next state, at the cost of what changes, and any number of states may be kept and searched, the
 * older ones at the cost of arrays of their own. Scores are those of an index that was built of the same documents at once: all statistics are
 * sums of integers.
 */
export class IndexView {
  readonly store: IndexStore;
  /** Numbers of documents are below this; not all of them need be there. */
  readonly documentCount: number;
  /** Documents that are there. */
  readonly size: number;
  readonly vocabulary: Vocabulary;
  readonly #totalLength: number;
  readonly #absent: ArrayState<Uint8Array> | undefined;
  /** By term: how many documents have it. */
  readonly #frequencies: ArrayState<Uint32Array>;
  /** Undefined once the next state has them. */
  #knownCovers: KnownCovers | undefined;
  #medianIdf: number | undefined;

  private constructor(state: ViewState) {
    this.store = state.store;
    this.documentCount = state.documentCount;
    this.size = state.size;
    this.#absent = state.absent;
    this.#totalLength = state.totalLength;
    this.#frequencies = state.frequencies;
    this.#knownCovers = state.knownCovers ?? new KnownCovers();
    this.vocabulary = new Vocabulary(state.store.terms, state.frequencies);
  }

  /** All documents of a store. */
  static of(store: IndexStore): IndexView {
    const { base, lengths, documentCount } = store;
    const frequencies = new Uint32Array(base.terms.length);
    for (let term = 0; term < frequencies.length; term++)
      frequencies[term] = base.postingStart[term + 1]! - base.postingStart[term]!;
    let totalLength = 0;
    for (let document = 0; document < documentCount; document++) totalLength += lengths[document]!;
    return new IndexView({
      store,
      documentCount,
      size: documentCount,
      absent: undefined,
      totalLength,
      frequencies: new ArrayState(frequencies),
    });
  }

  /**
   * All documents of a store, as some of many more: with the statistics of all of these.
   *
   * @param statistics by term of the store's table, `frequencies`: how many of all documents have it.
   */
  static ofStatistics(
    store: IndexStore,
    { size, totalLength, frequencies }: CollectionStatistics,
  ): IndexView {
    const { documentCount } = store;
    return new IndexView({
      store,
      documentCount,
      size,
      absent: undefined,
      totalLength,
      frequencies: new ArrayState(frequencies),
    });
  }

  /** By document: 1 for one that is not there. Undefined when all are. To be read at once: see `ArrayState`. */
  get absent(): Uint8Array | undefined {
    return this.#absent?.array;
  }

  with({ removed, added }: IndexChange, parameters: Pick<Bm25Parameters, 'fieldWeights'>): IndexView {
    const { store } = this;
    const first = store.documentCount;
    store.append(added, parameters);
    const known = this.#absent ?? new ArrayState(new Uint8Array(0));
    const [absent, setAbsent] = known.next(store.documentCount);
    const [frequencies, setFrequency] = this.#frequencies.next(store.terms.size);
    // Of few documents only: of many, too many terms change.
    const before = removed.length + added.length <= MOST_FOLLOWED ? new Map<number, number>() : undefined;
    let { size } = this;
    let totalLength = this.#totalLength;
    const count = (document: number, by: 1 | -1) => {
      size += by;
      totalLength += by * store.lengths[document]!;
      for (const entry of store.entriesOf(document)) {
        const term = entry >>> ENTRY_SHIFT;
        const frequency = frequencies.array[term]!;
        if (before !== undefined && !before.has(term)) before.set(term, frequency);
        setFrequency(term, frequency + by);
      }
    };
    for (const document of removed) {
      if (document >= this.documentCount || absent.array[document] === 1) continue;
      setAbsent(document, 1);
      count(document, -1);
    }
    // Others may have added documents to the store meanwhile, which are none of this view's.
    for (let document = this.documentCount; document < first; document++) setAbsent(document, 1);
    for (let document = first; document < store.documentCount; document++) count(document, 1);
    const knownCovers = before && this.#passCoversOn();
    const isOther = ([term, frequency]: readonly [number, number]) => frequencies.array[term] !== frequency;
    knownCovers?.forget(
      [...before!].filter(isOther).map(([term]) => term),
      store,
    );
    return new IndexView({
      store,
      documentCount: store.documentCount,
      size,
      absent,
      totalLength,
      frequencies,
      knownCovers,
    });
  }

  /** The newest state has what is known; one that was built keeps its own, as several may be made of it. */
  #passCoversOn(): KnownCovers | undefined {
    const known = this.#knownCovers;
    if (this.#absent === undefined) return known?.copy();
    this.#knownCovers = undefined;
    return known;
  }

  /** The same with a store of its own, in which the documents stand in the given order and no others do. */
  compacted(order: Uint32Array): IndexView {
    return IndexView.of(this.store.copy(order));
  }

  /** Mean length of a document; 0 when there is none. */
  get meanLength(): number {
    return this.size === 0 ? 0 : this.#totalLength / this.size;
  }

  /** Inverse document frequency of a term: ln(1 + (N − df + 0.5) / (df + 0.5)). */
  idf(term: number): number {
    return frequencyIdfs(this.size).of(this.#frequencies.array[term]!);
  }

  /** The idf of the term in the middle when all terms of the documents are put in the order of their frequencies; 0 when there is none. */
  get medianIdf(): number {
    this.#medianIdf ??= this.#findMedianIdf();
    return this.#medianIdf;
  }

  #findMedianIdf(): number {
    const present = this.#frequencies.array.subarray(0, this.store.terms.size).filter(Boolean).sort();
    return present.length === 0 ? 0 : frequencyIdfs(this.size).of(present[present.length >> 1]!);
  }

  /** To be used at once. */
  covers(): Covers {
    const { store, size } = this;
    this.#knownCovers?.makeRoom(this.documentCount);
    return new Covers({ store, size, frequencies: this.#frequencies.array }, this.#knownCovers);
  }
}

/** Documents that come and go in one change up to which what is known of the covers of all others is kept. */
const MOST_FOLLOWED = 64;

interface ViewState {
  readonly store: IndexStore;
  readonly documentCount: number;
  readonly size: number;
  readonly absent: ArrayState<Uint8Array> | undefined;
  readonly totalLength: number;
  readonly frequencies: ArrayState<Uint32Array>;
  readonly knownCovers?: KnownCovers | undefined;
}

/** What documents come to together that are not all at hand. */
export interface CollectionStatistics {
  readonly size: number;
  readonly totalLength: number;
  readonly frequencies: Uint32Array;
}
