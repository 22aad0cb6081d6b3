import { TextTable } from '../text/text-table.ts';
import { TermShapes } from './term-shapes.ts';

/** Texts of terms, by number: as strings, or packed. */
export type TermTexts = readonly string[] | TextTable;

/**
 * The terms of an index, numbered in order of arrival. Only grows, so that several states of an index can
 * share one.
 *
 * The first terms may be packed: they are flat data and cost nothing to take over. Look-ups by text and by
 * shape are built on first use.
 */
export class TermTable {
  readonly #packed: TextTable | undefined;
  /** Terms after the packed ones. */
  readonly #texts: string[];
  #numberOf: Map<string, number> | undefined;
  readonly #shapes = new TermShapes();

  /** @param texts distinct texts; an array is copied. */
  constructor(texts: TermTexts) {
    this.#packed = texts instanceof TextTable ? texts : undefined;
    this.#texts = texts instanceof TextTable ? [] : [...texts];
  }

  /** Number of terms. */
  get size(): number {
    return this.#packedSize + this.#texts.length;
  }

  /**
   * All texts by number, read-only. If some are packed, every call rebuilds them: use `size` and `text`
   * instead.
   */
  get texts(): readonly string[] {
    if (this.#packed === undefined) return this.#texts;
    return Array.from({ length: this.size }, (_, term) => this.text(term));
  }

  text(term: number): string {
    const packedSize = this.#packedSize;
    return term < packedSize ? this.#packed!.at(term) : this.#texts[term - packedSize]!;
  }

  find(text: string): number | undefined {
    return this.#packed?.find(text) ?? this.#numbers().get(text);
  }

  /** Returns the number of a term and adds the term if it is new. */
  add(text: string): number {
    return this.find(text) ?? this.addNew(text);
  }

  /** Adds a term that the table does not contain; returns its number. Cheaper than `add`. */
  addNew(text: string): number {
    const term = this.size;
    this.#numberOf?.set(text, term);
    this.#texts.push(text);
    return term;
  }

  /** Returns the shapes of all terms. */
  shapes(): TermShapes {
    const shapes = this.#shapes;
    if (shapes.count === 0) this.#shapePacked();
    for (let at = shapes.count - this.#packedSize; at < this.#texts.length; at++)
      shapes.add(this.#texts[at]!, 0, this.#texts[at]!.length);
    return shapes;
  }

  #shapePacked(): void {
    const packed = this.#packed;
    if (packed === undefined) return;
    this.#shapes.makeRoom(packed.length);
    for (let term = 0; term < packed.length; term++)
      this.#shapes.add(packed.text, packed.start(term), packed.end(term));
  }

  get #packedSize(): number {
    return this.#packed?.length ?? 0;
  }

  #numbers(): Map<string, number> {
    this.#numberOf ??= new Map(this.#texts.map((text, at) => [text, this.#packedSize + at]));
    return this.#numberOf;
  }
}
