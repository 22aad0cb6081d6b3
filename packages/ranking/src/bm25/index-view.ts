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
    if (this.#nameIdf === undefined || this.#nameIdf[document] === 0) this.#sumCovers(document);
    return this.#nameIdf![document]!;
  }

  /** The same for the first sentence of its description. */
  leadIdf(document: number): number {
    if (this.#leadIdf === undefined || this.#leadIdf[document] === 0) this.#sumCovers(document);
    return this.#leadIdf![document]!;
  }

  /** Both at once: whoever asks for one mostly asks for the other, and each view has to sum them anew. */
  #sumCovers(document: number): void {
    this.#nameIdf ??= new Float32Array(this.documentCount);
    this.#leadIdf ??= new Float32Array(this.documentCount);
    const { entries, start, end } = this.store.entrySpan(document);
    let [name, lead] = [0, 0];
    for (let at = start; at < end; at++) {
      const entry = entries[at]!;
      if ((entry & COVER_BITS) === 0) continue;
      const idf = this.idf(entry >>> ENTRY_SHIFT);
      if ((entry & ENTRY_BITS.namePart) !== 0) name += idf;
      if ((entry & ENTRY_BITS.lead) !== 0) lead += idf;
    }
    this.#nameIdf[document] = name;
    this.#leadIdf[document] = lead;
  }
}

const COVER_BITS = ENTRY_BITS.namePart | ENTRY_BITS.lead;

interface ViewState {
  readonly store: IndexStore;
  readonly documentCount: number;
  readonly size: number;
  readonly absent: Uint8Array | undefined;
  readonly totalLength: number;
  readonly frequencies: Uint32Array;
}
