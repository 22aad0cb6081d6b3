import { wordVectors } from '../word-vectors/word-vectors.ts';
import type { TermTable } from './term-table.ts';

/** The word vectors of an index's terms; each term is looked up once. */
export class TermVectors {
  readonly #terms: TermTable;
  /** By term: 0 if not looked up, 1 without a vector, otherwise the number of its vector plus 2. */
  #known = new Uint32Array(0);

  constructor(terms: TermTable) {
    this.#terms = terms;
  }

  /** Returns the number of a term's vector; undefined if it has none. */
  find(term: number): number | undefined {
    if (term >= this.#known.length) this.#makeRoom();
    const known = this.#known[term]! || this.#lookUp(term);
    return known === WITHOUT ? undefined : known - FIRST;
  }

  #lookUp(term: number): number {
    const vector = wordVectors().find(this.#terms.text(term));
    this.#known[term] = vector === undefined ? WITHOUT : vector + FIRST;
    return this.#known[term]!;
  }

  #makeRoom(): void {
    const larger = new Uint32Array(this.#terms.size + (this.#known.length >> 2));
    larger.set(this.#known);
    this.#known = larger;
  }
}

const WITHOUT = 1;
const FIRST = 2;
