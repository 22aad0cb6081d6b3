import { ENTRY_BITS, ENTRY_SHIFT } from './flat-index.ts';
import type { IndexStore } from './index-store.ts';
import type { KnownCovers } from './known-covers.ts';

/** What sums are made of. */
export interface CoverStatistics {
  readonly store: IndexStore;
  /** Documents that are there. */
  readonly size: number;
  /** By term. */
  readonly frequencies: Uint32Array;
}

/**
 * How much idf there is to cover in the names and first sentences of documents. For one query.
 *
 * As idf is ln((N + 1) / (df + 0.5)), the idf of k terms together is k · ln(N + 1) − Σ ln(df + 0.5): what is known of a document are k and the sum, which
 * hold for as long as the frequencies of its own terms do.
 */
export class Covers {
  /** Sum over the distinct terms that the name of the document that was read last can be covered by. */
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
    const { entries, start, end } = store.entrySpan(document);
    let [nameSum, names, leadSum, leads] = [0, 0, 0, 0];
    for (let at = start; at < end; at++) {
      const entry = entries[at]!;
      // The others stand behind those that cover.
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

/** ln(df + 0.5) by df, each worked out once; 0 until it is asked for, as none of a term that is there can be 0. */
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
