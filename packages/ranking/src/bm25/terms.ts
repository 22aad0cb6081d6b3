import { wordVectors } from '../word-vectors/word-vectors.ts';
import { TermShapes } from './term-shapes.ts';

/**
 * The terms of an index, numbered in order of arrival. Only grows, so that several states of an index can
 * share one. Shapes and vectors of terms are looked up on first use.
 */
export class TermTable {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #shapes = new TermShapes();
  readonly #vectors = new Map<number, number | undefined>();

  /** Number of terms. */
  get size(): number {
    return this.#texts.length;
  }

  text(term: number): string {
    return this.#texts[term]!;
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** Returns the number of a term and adds the term if it is new. */
  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const term = this.#texts.push(text) - 1;
    this.#numbers.set(text, term);
    return term;
  }

  /** Returns the shapes of all terms. */
  shapes(): TermShapes {
    for (let term = this.#shapes.count; term < this.#texts.length; term++)
      this.#shapes.add(this.#texts[term]!);
    return this.#shapes;
  }

  /** Returns the number of the word vector of a term; undefined if it has none. */
  vectorOf(term: number): number | undefined {
    if (!this.#vectors.has(term)) this.#vectors.set(term, wordVectors().find(this.#texts[term]!));
    return this.#vectors.get(term);
  }
}
