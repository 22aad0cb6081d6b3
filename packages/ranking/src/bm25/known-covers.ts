import type { IndexStore } from './index-store.ts';
import { FIELD_BITS } from './postings.ts';

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
