import { ENTRY_BITS, ENTRY_SHIFT } from './flat-index.ts';
import type { FrequencyIdfs } from './frequency-idfs.ts';
import type { IndexStore } from './index-store.ts';

/** What sums are made of. */
export interface CoverStatistics {
  readonly store: IndexStore;
  /** By term. */
  readonly frequencies: Uint32Array;
  readonly idfs: FrequencyIdfs;
}

/** Sums that need not be made again, by document; 0 where none was made. */
export interface KnownCovers {
  readonly names: Float32Array;
  readonly leads: Float32Array;
}

/** How much idf there is to cover in the names and first sentences of documents. For one query. */
export class Covers {
  /** Sum over the distinct terms that the name of the document that was read last can be covered by. */
  name = 0;
  /** The same for the first sentence of its description. */
  lead = 0;
  readonly #statistics: CoverStatistics;
  readonly #known: KnownCovers | undefined;

  constructor(statistics: CoverStatistics, known: KnownCovers | undefined) {
    this.#statistics = statistics;
    this.#known = known;
  }

  read(document: number): void {
    const known = this.#known;
    if (known !== undefined) {
      this.name = known.names[document]!;
      this.lead = known.leads[document]!;
      if (this.name > 0 || this.lead > 0) return;
    }
    this.#sum(document);
    if (known === undefined) return;
    known.names[document] = this.name;
    known.leads[document] = this.lead;
  }

  #sum(document: number): void {
    const { store, frequencies, idfs } = this.#statistics;
    const { entries, start, end } = store.entrySpan(document);
    let [name, lead] = [0, 0];
    for (let at = start; at < end; at++) {
      const entry = entries[at]!;
      // The others stand behind those that cover.
      if ((entry & COVER_BITS) === 0) break;
      const idf = idfs.of(frequencies[entry >>> ENTRY_SHIFT]!);
      if ((entry & ENTRY_BITS.namePart) !== 0) name += idf;
      if ((entry & ENTRY_BITS.lead) !== 0) lead += idf;
    }
    this.name = Math.fround(name);
    this.lead = Math.fround(lead);
  }
}

const COVER_BITS = ENTRY_BITS.namePart | ENTRY_BITS.lead;
