import type { IndexChange } from '../ranker.ts';
import { ENTRY_BITS, ENTRY_SHIFT } from './flat-index.ts';
import type { IndexStore } from './index-store.ts';
import type { Bm25Parameters } from './parameters.ts';
import { Vocabulary } from './vocabulary.ts';

/**
 * One state of an index: some documents of a store, and the statistics of exactly these.
 *
 * Contract: never changes; `with` gives the next state, at the cost of what changes (and of copying two small arrays), and any number of
 * states may be kept and searched. Scores are those of an index that was built of the same documents at once: all statistics are
 * sums of integers.
 */
export class IndexView {
  readonly store: IndexStore;
  /** Numbers of documents are below this; not all of them need be there. */
  readonly documentCount: number;
  /** Documents that are there. */
  readonly size: number;
  /** By document: 1 for one that is not there. Undefined when all are. */
  readonly absent: Uint8Array | undefined;
  readonly vocabulary: Vocabulary;
  readonly #totalLength: number;
  /** By term: how many documents have it. */
  readonly #frequencies: Uint32Array;
  /** By term and by document, each made when it is first asked for; 0 until then, as none of them can be 0. */
  readonly #idf: Float32Array;
  #nameIdf: Float32Array | undefined;
  #leadIdf: Float32Array | undefined;

  private constructor(state: ViewState) {
    this.store = state.store;
    this.documentCount = state.documentCount;
    this.size = state.size;
    this.absent = state.absent;
    this.#totalLength = state.totalLength;
    this.#frequencies = state.frequencies;
    this.vocabulary = new Vocabulary(state.store.terms, state.frequencies);
    this.#idf = new Float32Array(state.frequencies.length);
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
      frequencies,
    });
  }

  /**
   * All documents of a store, as some of many more: with the statistics of all of these.
   *
   * @param statistics by term of the store's table, `frequencies`: how many of all documents have it.
   */
  static ofStatistics(
    store: IndexStore,
    { size, totalLength, frequencies }: Pick<ViewState, 'size' | 'totalLength' | 'frequencies'>,
  ): IndexView {
    const { documentCount } = store;
    return new IndexView({ store, documentCount, size, absent: undefined, totalLength, frequencies });
  }

  has(document: number): boolean {
    return document < this.documentCount && this.absent?.[document] !== 1;
  }

  with({ removed, added }: IndexChange, parameters: Pick<Bm25Parameters, 'fieldWeights'>): IndexView {
    const { store } = this;
    const first = store.documentCount;
    store.append(added, parameters);
    const absent = new Uint8Array(store.documentCount);
    if (this.absent !== undefined) absent.set(this.absent);
    // Others may have added documents to the store meanwhile, which are none of this view's.
    absent.fill(1, this.documentCount, first);
    const frequencies = new Uint32Array(store.terms.texts.length);
    frequencies.set(this.#frequencies);
    let { size } = this;
    let totalLength = this.#totalLength;
    const count = (document: number, by: 1 | -1) => {
      absent[document] = by === 1 ? 0 : 1;
      size += by;
      totalLength += by * store.lengths[document]!;
      for (const entry of store.entriesOf(document)) frequencies[entry >>> ENTRY_SHIFT]! += by;
    };
    for (const document of removed) if (absent[document] === 0 && document < first) count(document, -1);
    for (let document = first; document < store.documentCount; document++) count(document, 1);
    return new IndexView({
      store,
      documentCount: store.documentCount,
      size,
      absent,
      totalLength,
      frequencies,
    });
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
    const known = this.#idf[term]!;
    if (known > 0) return known;
    const frequency = this.#frequencies[term]!;
    this.#idf[term] = Math.log(1 + (this.size - frequency + 0.5) / (frequency + 0.5));
    return this.#idf[term]!;
  }

  /** Sum of idf over the distinct terms that a document's name can be covered by. */
  nameIdf(document: number): number {
    this.#nameIdf ??= new Float32Array(this.documentCount);
    return this.#coverIdf(this.#nameIdf, document, ENTRY_BITS.namePart);
  }

  /** The same for the first sentence of its description. */
  leadIdf(document: number): number {
    this.#leadIdf ??= new Float32Array(this.documentCount);
    return this.#coverIdf(this.#leadIdf, document, ENTRY_BITS.lead);
  }

  #coverIdf(known: Float32Array, document: number, bit: number): number {
    if (known[document] === 0) known[document] = this.#sumIdf(document, bit);
    return known[document]!;
  }

  #sumIdf(document: number, bit: number): number {
    let sum = 0;
    for (const entry of this.store.entriesOf(document)) {
      if ((entry & bit) !== 0) sum += this.idf(entry >>> ENTRY_SHIFT);
    }
    return sum;
  }
}

interface ViewState {
  readonly store: IndexStore;
  readonly documentCount: number;
  readonly size: number;
  readonly absent: Uint8Array | undefined;
  readonly totalLength: number;
  readonly frequencies: Uint32Array;
}
