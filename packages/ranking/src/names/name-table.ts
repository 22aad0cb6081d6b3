import { endsOf, type PackedTexts, TextTable } from '../text/text-table.ts';
import { firstWordOf } from './name-words.ts';

/** A name table as plain data, which may move between threads. */
export interface PackedNames {
  /** The different names, folded. */
  readonly folded: PackedTexts;
  /** The tools that are named `folded[n]` are those from `namedStart[n]` up to `namedStart[n + 1]`, in the order in which they came. */
  readonly namedStart: Uint32Array;
  readonly positions: Uint32Array;
  /** How they spell their names, one after the other, and where each of these ends. */
  readonly spellings: string;
  readonly spellingEnds: Uint32Array;
  /** The words that names begin with. */
  readonly words: PackedTexts;
  /** The shapes for `words[n]` are those from `shapeStart[n]` up to `shapeStart[n + 1]`. */
  readonly shapeStart: Uint32Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
}

/** A tool's name as it is spelled. */
export interface Named {
  readonly spelling: string;
  readonly position: number;
}

/** Where the first word of a name stands in it, and how long the name is. */
export interface NameShape {
  /** 1 in `_search`. */
  readonly offset: number;
  readonly length: number;
}

/**
 * Names of tools as flat data: what a `NameIndex` looks up, by folded name and by first word.
 *
 * Contract: immutable; what is given is made anew each time, and is the caller's.
 */
export class NameTable {
  readonly #packed: PackedNames;
  readonly #folded: TextTable;
  readonly #words: TextTable;

  constructor(packed: PackedNames) {
    this.#packed = packed;
    this.#folded = new TextTable(packed.folded);
    this.#words = new TextTable(packed.words);
  }

  /** @param named in any order; tools whose names fold to one keep theirs. */
  static of(named: readonly Named[]): NameTable {
    const { numbers, folded } = foldAll(named);
    const { starts: namedStart, sorted } = groupBy(numbers, folded.length, named);
    const spellings = sorted.map(({ spelling }) => spelling);
    return new NameTable({
      folded: TextTable.of(folded).pack(),
      namedStart,
      positions: Uint32Array.from(sorted, ({ position }) => position),
      spellings: spellings.join(''),
      spellingEnds: endsOf(spellings),
      ...shapesOf(folded),
    });
  }

  /** Memory held, in bytes, roughly. */
  get bytes(): number {
    const { namedStart, positions, spellings, spellingEnds, shapeStart, offsets, lengths } = this.#packed;
    const arrays = [namedStart, positions, spellingEnds, shapeStart, offsets, lengths];
    const texts = this.#folded.bytes + this.#words.bytes + spellings.length;
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, texts);
  }

  /** The tools whose names are this one when they are folded; undefined when there are none. */
  named(folded: string): Named[] | undefined {
    const number = this.#folded.find(folded);
    return number === undefined ? undefined : this.#namedAt(number);
  }

  /** The shapes of the names that begin with a word, the longest first; undefined when there are none. */
  shapes(word: string): NameShape[] | undefined {
    const { shapeStart, offsets, lengths } = this.#packed;
    const number = this.#words.find(word);
    if (number === undefined) return undefined;
    const start = shapeStart[number]!;
    return Array.from({ length: shapeStart[number + 1]! - start }, (_, at) => ({
      offset: offsets[start + at]!,
      length: lengths[start + at]!,
    }));
  }

  /** Folded names in the order in which they came, with the tools that have them. */
  *all(): Generator<[folded: string, named: Named[]]> {
    for (let number = 0; number < this.#folded.length; number++)
      yield [this.#folded.at(number), this.#namedAt(number)];
  }

  /** The table as plain data; shares its arrays. */
  pack(): PackedNames {
    return this.#packed;
  }

  #namedAt(number: number): Named[] {
    const { namedStart, positions, spellings, spellingEnds } = this.#packed;
    const start = namedStart[number]!;
    return Array.from({ length: namedStart[number + 1]! - start }, (_, at) => ({
      spelling: spellings.slice(
        start + at === 0 ? 0 : spellingEnds[start + at - 1]!,
        spellingEnds[start + at]!,
      ),
      position: positions[start + at]!,
    }));
  }
}

/** Longer names are found only where they are all of the pattern; providers allow 64 to 128. */
const MAX_NAME_CHARS = 256;

/** Whether a name is looked for within patterns. A blank one stands in every pattern; nobody asks for it there. */
export function hasShape(folded: string): boolean {
  return folded.length <= MAX_NAME_CHARS && folded.trim() !== '';
}

/** The different names, folded, and which of these each one is. */
function foldAll(named: readonly Named[]): { numbers: Uint32Array; folded: string[] } {
  const numberOf = new Map<string, number>();
  const folded: string[] = [];
  const numbers = new Uint32Array(named.length);
  for (let at = 0; at < named.length; at++) {
    const text = named[at]!.spelling.toLowerCase();
    const known = numberOf.get(text);
    if (known === undefined) numberOf.set(text, folded.push(text) - 1);
    numbers[at] = known ?? folded.length - 1;
  }
  return { numbers, folded };
}

/** Puts items side by side that have one number, without changing their order; those of number n begin at `starts[n]`. */
function groupBy<Item>(
  numbers: Uint32Array,
  count: number,
  items: readonly Item[],
): { starts: Uint32Array; sorted: readonly Item[] } {
  const starts = new Uint32Array(count + 1);
  for (const number of numbers) starts[number + 1]!++;
  for (let number = 0; number < count; number++) starts[number + 1]! += starts[number]!;
  if (count === items.length) return { starts, sorted: items };
  const next = starts.slice();
  const sorted: Item[] = Array.from(items);
  items.forEach((item, at) => {
    sorted[next[numbers[at]!]!++] = item;
  });
  return { starts, sorted };
}

/** The shapes of names by their first words, each once, the longest first. */
function shapesOf(
  folded: readonly string[],
): Pick<PackedNames, 'words' | 'shapeStart' | 'offsets' | 'lengths'> {
  const shapesByWord = new Map<string, number[]>();
  for (const name of folded) {
    if (!hasShape(name)) continue;
    const { word, offset } = firstWordOf(name);
    const shape = name.length * SHAPE_LENGTH + offset;
    const shapes = shapesByWord.get(word);
    if (shapes === undefined) shapesByWord.set(word, [shape]);
    else if (!shapes.includes(shape)) shapes.push(shape);
  }
  const shapes: number[] = [];
  const shapeStart = [0];
  for (const ofWord of shapesByWord.values()) {
    const byLength = (left: number, right: number) =>
      Math.trunc(right / SHAPE_LENGTH) - Math.trunc(left / SHAPE_LENGTH);
    shapes.push(...ofWord.sort(byLength));
    shapeStart.push(shapes.length);
  }
  return {
    words: TextTable.of([...shapesByWord.keys()]).pack(),
    shapeStart: Uint32Array.from(shapeStart),
    offsets: Uint32Array.from(shapes, (shape) => shape % SHAPE_LENGTH),
    lengths: Uint32Array.from(shapes, (shape) => Math.trunc(shape / SHAPE_LENGTH)),
  };
}

/** A shape as one number, while shapes are gathered: this many times the length, and the offset. */
const SHAPE_LENGTH = 1 << 9;
