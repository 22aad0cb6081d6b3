import { TextTable } from '../text/text-table.ts';
import { TermShapes } from './term-shapes.ts';

/** Texts of terms, by number: as they were found, or packed. */
export type TermTexts = readonly string[] | TextTable;

/**
 * The terms of an index, numbered as they come. Only grows, so that several states of an index may share one.
 *
 * The first ones may be packed: they are flat data, and cost nothing to take over. What is needed to find the others by their texts, or a term by its
 * looks, is made when it is asked for.
 */
export class TermTable {
  readonly #packed: TextTable | undefined;
  /** Those behind the packed ones. */
  readonly #texts: string[];
  #numberOf: Map<string, number> | undefined;
  readonly #shapes = new TermShapes();

  /** @param texts different ones. Of an array the table keeps a copy. */
  constructor(texts: TermTexts) {
    this.#packed = texts instanceof TextTable ? texts : undefined;
    this.#texts = texts instanceof TextTable ? [] : [...texts];
  }

  /** Number of terms. */
  get size(): number {
    return this.#packedSize + this.#texts.length;
  }

  /** All texts by number. Not to be changed. Where some are packed, each call makes all of them anew: use `size` and `text` there. */
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

  /** The number of a term, new or known. */
  add(text: string): number {
    return this.find(text) ?? this.addNew(text);
  }

  /** The number of a term that the table does not have: cheaper than `add`, and wrong for one that it has. */
  addNew(text: string): number {
    const term = this.size;
    this.#numberOf?.set(text, term);
    this.#texts.push(text);
    return term;
  }

  /** The terms by their looks, all of them. */
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
