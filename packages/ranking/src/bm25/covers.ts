import type { IndexStore } from './index-store.ts';
import { ENTRY_BITS, ENTRY_SHIFT, FIELD_BITS } from './postings.ts';

/** The statistics that sums are computed from. */
export interface CoverStatistics {
  readonly store: IndexStore;
  /** Number of present documents. */
  readonly size: number;
  /** By term. */
  readonly frequencies: Uint32Array;
}

/**
 * Sums of the idf that a query can cover in the names and first sentences of documents. For one query.
 *
 * As idf is ln((N + 1) / (df + 0.5)), the total idf of k terms is k · ln(N + 1) − Σ ln(df + 0.5). So k and
 * the sum are stored per document, and stay valid while the frequencies of its own terms do not change.
 */
export class Covers {
  /** Sum over the distinct terms that can cover the name of the last document read. */
  name = 0;
  /** The same for the first sentence of its description. */
  lead = 0;
  readonly #statistics: CoverStatistics;
  readonly #known: KnownCovers | undefined;
  /** ln(N + 1). */
  readonly #most: number;

  constructor(statistics: CoverStatistics, known: KnownCovers | undefined) {
    this.#statistics = statistics;
    this.#known = known;
    this.#most = Math.log(statistics.size + 1);
  }

  read(document: number): void {
    const known = this.#known;
    if (known === undefined) {
      this.#sum(document, undefined);
      return;
    }
    const { sums, counts } = known;
    const [ofName, ofLead] = [2 * document, 2 * document + 1];
    if (counts[ofName] === 0 && counts[ofLead] === 0) {
      this.#sum(document, known);
      return;
    }
    this.name = Math.fround(counts[ofName]! * this.#most - sums[ofName]!);
    this.lead = Math.fround(counts[ofLead]! * this.#most - sums[ofLead]!);
  }

  #sum(document: number, known: KnownCovers | undefined): void {
    const { store, frequencies } = this.#statistics;
    const entries = store.entriesOf(document);
    let [nameSum, names, leadSum, leads] = [0, 0, 0, 0];
    for (const entry of entries) {
      // Entries that do not cover follow those that do.
      if ((entry & COVER_BITS) === 0) break;
      const log = logOf(frequencies[entry >>> ENTRY_SHIFT]!);
      if ((entry & ENTRY_BITS.namePart) !== 0) {
        nameSum += log;
        names++;
      }
      if ((entry & ENTRY_BITS.lead) !== 0) {
        leadSum += log;
        leads++;
      }
    }
    this.name = Math.fround(names * this.#most - nameSum);
    this.lead = Math.fround(leads * this.#most - leadSum);
    known?.set(document, { nameSum, names, leadSum, leads });
  }
}

const COVER_BITS = ENTRY_BITS.namePart | ENTRY_BITS.lead;

/** ln(df + 0.5) by df, computed on demand; 0 marks an unknown value, which no present term has. */
let logs = new Float64Array(1 << 10);

function logOf(frequency: number): number {
  const known = logs[frequency];
  if (known !== undefined && known !== 0) return known;
  if (frequency >= logs.length) {
    const larger = new Float64Array(2 * frequency);
    larger.set(logs);
    logs = larger;
  }
  logs[frequency] = Math.log(frequency + 0.5);
  return logs[frequency];
}

/**
 * The terms that can cover the name and first sentence of a document: their number, and the sum of ln(df +
 * 0.5).
 */
export interface DocumentCovers {
  readonly nameSum: number;
  readonly names: number;
  readonly leadSum: number;
  readonly leads: number;
}

/**
 * Cached covers of documents, for the newest state of an index.
 *
 * By document, in pairs: the name, then the first sentence. Both counts are 0 if nothing is known.
 */
export class KnownCovers {
  sums = new Float64Array(0);
  counts = new Uint16Array(0);

  makeRoom(documents: number): void {
    if (2 * documents <= this.counts.length) return;
    // With room to grow, because documents arrive one by one.
    const length = 2 * (this.counts.length === 0 ? documents : documents + (documents >> 2));
    const [sums, counts] = [new Float64Array(length), new Uint16Array(length)];
    sums.set(this.sums);
    counts.set(this.counts);
    [this.sums, this.counts] = [sums, counts];
  }

  set(document: number, { nameSum, names, leadSum, leads }: DocumentCovers): void {
    // Names and first sentences have fewer words; a longer one is computed each time.
    if (names > MAX_COUNT || leads > MAX_COUNT) return;
    this.sums[2 * document] = nameSum;
    this.sums[2 * document + 1] = leadSum;
    this.counts[2 * document] = names;
    this.counts[2 * document + 1] = leads;
  }

  copy(): KnownCovers {
    const copy = new KnownCovers();
    [copy.sums, copy.counts] = [this.sums.slice(), this.counts.slice()];
    return copy;
  }

  /**
   * Drops the documents that any of these terms may cover, because their frequencies have changed. Takes time
   * in their postings, or in all documents.
   */
  forget(terms: readonly number[], store: IndexStore): void {
    const postings = terms.reduce((sum, term) => sum + store.postingsOf(term).length / 2, 0);
    if (postings > this.counts.length) {
      this.counts.fill(0);
      return;
    }
    const { counts } = this;
    for (const term of terms) {
      const list = store.postingsOf(term);
      for (let at = 0; at < list.length; at += 2) {
        if ((list[at + 1]! & COVERING) === 0) continue;
        counts[2 * list[at]!] = 0;
        counts[2 * list[at]! + 1] = 0;
      }
    }
  }
}

const MAX_COUNT = 2 ** 16 - 1;
const COVERING = FIELD_BITS.namePart | FIELD_BITS.lead;
