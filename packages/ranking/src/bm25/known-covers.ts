import { FIELD_BITS } from './flat-index.ts';
import type { IndexStore } from './index-store.ts';

/** What the terms of one document come to that its name and first sentence can be covered by: how many there are, and the sum of ln(df + 0.5). */
export interface DocumentCovers {
  readonly nameSum: number;
  readonly names: number;
  readonly leadSum: number;
  readonly leads: number;
}

/**
 * What was worked out of the covers of documents, for the state of an index that is newest.
 *
 * By document in pairs: of its name, then of its first sentence. Both counts are 0 where nothing is known.
 */
export class KnownCovers {
  sums = new Float64Array(0);
  counts = new Uint16Array(0);

  makeRoom(documents: number): void {
    if (2 * documents <= this.counts.length) return;
    // With room to grow: documents come one by one.
    const length = 2 * (this.counts.length === 0 ? documents : documents + (documents >> 2));
    const [sums, counts] = [new Float64Array(length), new Uint16Array(length)];
    sums.set(this.sums);
    counts.set(this.counts);
    [this.sums, this.counts] = [sums, counts];
  }

  set(document: number, { nameSum, names, leadSum, leads }: DocumentCovers): void {
    // No name or first sentence has so many words; one that had would be read each time.
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

  /** Forgets the documents that may be covered by any of these terms, whose frequencies are other ones now. Takes time in their postings, or in all documents. */
  forget(terms: readonly number[], store: IndexStore): void {
    const postings = terms.reduce((sum, term) => sum + store.postingCount(term), 0);
    if (postings > this.counts.length) {
      this.counts.fill(0);
      return;
    }
    const { counts } = this;
    const visit = (document: number, posting: number) => {
      if ((posting & COVERING) === 0) return;
      counts[2 * document] = 0;
      counts[2 * document + 1] = 0;
    };
    for (const term of terms) store.eachPosting(term, visit);
  }
}

const MAX_COUNT = 2 ** 16 - 1;
const COVERING = FIELD_BITS.namePart | FIELD_BITS.lead;
