import type { IndexChange } from '../ranker.ts';
import type { ToolDocument } from '../tools/tool-document.ts';
import { ArrayState } from './array-state.ts';
import { Covers, KnownCovers } from './covers.ts';
import { IndexStore } from './index-store.ts';
import type { Bm25Parameters } from './parameters.ts';
import { ENTRY_SHIFT } from './postings.ts';
import { Vocabulary } from './vocabulary.ts';

/**
 * One state of an index: a set of a store's documents, with their exact statistics.
 *
 * Contract: immutable; `with` returns the next state, at the cost of the changes. Any number of states may be
 * kept and searched; older ones cost their own arrays. Scores equal those of an index built from the same
 * documents at once, because all statistics are sums of integers.
 */
export class IndexView {
  readonly store: IndexStore;
  /** Upper bound of document numbers; some numbers may be absent. */
  readonly documentCount: number;
  /** Number of present documents. */
  readonly size: number;
  readonly vocabulary: Vocabulary;
  /** Vectors of documents that were among the best, up to {@link MOST_DOCUMENT_VECTORS} documents: see `addRelatedness`. */
  readonly documentVectors = new Map<number, Float32Array>();
  readonly #totalLength: number;
  readonly #absent: ArrayState<Uint8Array> | undefined;
  /** By term: the number of documents that contain it. */
  readonly #frequencies: ArrayState<Uint32Array>;
  /** Undefined once the next state has taken it over. */
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

  /** Indexes documents, and returns a view of all of them. */
  static of(documents: readonly ToolDocument[], parameters: Pick<Bm25Parameters, 'fieldWeights'>): IndexView {
    const store = new IndexStore();
    store.append(documents, parameters);
    return IndexView.#ofAll(store);
  }

  static #ofAll(store: IndexStore): IndexView {
    const { lengths, documentCount } = store;
    const frequencies = Uint32Array.from(
      { length: store.terms.size },
      (_, term) => store.postingsOf(term).length / 2,
    );
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

  /** By document: 1 if it is absent. Undefined if none is. Read it immediately: see `ArrayState`. */
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
    // Only for a few documents: many change too many terms.
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
    // Other views may have added documents to the store in the meantime; they are absent here.
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

  /**
   * Hands the known covers to the next state; a built view keeps its own, because several states may derive
   * from it.
   */
  #passCoversOn(): KnownCovers | undefined {
    const known = this.#knownCovers;
    if (this.#absent === undefined) return known?.copy();
    this.#knownCovers = undefined;
    return known;
  }

  /** Returns the view with its own store, which contains exactly its documents, in the given order. */
  compacted(order: Uint32Array): IndexView {
    return IndexView.#ofAll(this.store.copy(order));
  }

  /** Mean length of a document; 0 if there are none. */
  get meanLength(): number {
    return this.size === 0 ? 0 : this.#totalLength / this.size;
  }

  /** Returns the inverse document frequency of a term: ln(1 + (N − df + 0.5) / (df + 0.5)). */
  idf(term: number): number {
    return frequencyIdfs(this.size).of(this.#frequencies.array[term]!);
  }

  /** Inverse document frequency of a word that no document contains. */
  get idfOfNone(): number {
    return frequencyIdfs(this.size).of(0);
  }

  /** Median idf of all terms; 0 if there are none. */
  get medianIdf(): number {
    this.#medianIdf ??= this.#findMedianIdf();
    return this.#medianIdf;
  }

  /** Counts the terms by frequency: each change makes a new view, and sorting takes 20 times as long. */
  #findMedianIdf(): number {
    const frequencies = this.#frequencies.array.subarray(0, this.store.terms.size);
    const terms = new Uint32Array(this.size + 1);
    for (let term = 0; term < frequencies.length; term++) terms[frequencies[term]!]!++;
    const present = frequencies.length - terms[0]!;
    const half = Math.min(present, (present >> 1) + 1);
    let median = 0;
    for (let seen = 0; seen < half; ) seen += terms[++median]!;
    return half === 0 ? 0 : frequencyIdfs(this.size).of(median);
  }

  /** Returns the covers. Use them immediately. */
  covers(): Covers {
    const { store, size } = this;
    this.#knownCovers?.makeRoom(this.documentCount);
    return new Covers({ store, size, frequencies: this.#frequencies.array }, this.#knownCovers);
  }
}

/** Maximum number of documents whose vectors are kept: 1.5 MiB. In larger indexes, searches share few of the best. */
export const MOST_DOCUMENT_VECTORS = 4_096;

/** Maximum number of documents in one change for which the known covers of the others are kept. */
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

/**
 * Inverse document frequencies for a given number of documents, by document frequency; each is computed once.
 */
export class FrequencyIdfs {
  readonly size: number;
  /** Holds 0 for unknown values, which no idf has. */
  readonly #idfs: Float32Array;

  /** @param idfs the storage: more than `size` zeros. */
  constructor(size: number, idfs: Float32Array) {
    this.size = size;
    this.#idfs = idfs;
  }

  of(frequency: number): number {
    const known = this.#idfs[frequency]!;
    if (known > 0) return known;
    const idf = Math.fround(Math.log(1 + (this.size - frequency + 0.5) / (frequency + 0.5)));
    this.#idfs[frequency] = idf;
    return idf;
  }
}

let room = new Float32Array(1 << 10);
let latest = new FrequencyIdfs(0, room);

/** Returns the thread's table, which holds the values of the last `size` only. Use it immediately. */
export function frequencyIdfs(size: number): FrequencyIdfs {
  if (latest.size === size) return latest;
  if (room.length <= size) room = new Float32Array(2 * size);
  else room.fill(0, 0, Math.max(size, latest.size) + 1);
  latest = new FrequencyIdfs(size, room);
  return latest;
}
