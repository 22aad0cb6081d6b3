import { endsOf, type PackedTexts, TextTable } from '../text/text-table.ts';
import { firstWordOf } from './name-words.ts';

/** A name table as plain data, which can move between threads. */
export interface PackedNames {
  /** The distinct folded names. */
  readonly folded: PackedTexts;
  /**
   * Tools named `folded[n]` are those from `namedStart[n]` up to `namedStart[n + 1]`, in order of arrival.
   */
  readonly namedStart: Uint32Array;
  readonly positions: Uint32Array;
  /** Concatenated spellings of the names, and the end of each. */
  readonly spellings: string;
  readonly spellingEnds: Uint32Array;
  /** The first words of names. */
  readonly words: PackedTexts;
  /** The shapes for `words[n]` are those from `shapeStart[n]` up to `shapeStart[n + 1]`. */
  readonly shapeStart: Uint32Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
}

/** A tool's name as spelled. */
export interface Named {
  readonly spelling: string;
  readonly position: number;
}

/** The offset of the first word in a name, and the length of the name. */
export interface NameShape {
  /** 1 in `_search`. */
  readonly offset: number;
  readonly length: number;
}

/**
 * Names of tools as flat data, for look-ups by folded name and by first word.
 *
 * Contract: immutable; returned values are new and belong to the caller.
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

  /** @param named in any order; tools whose names fold to the same name keep theirs. */
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

  /** Approximate memory held, in bytes. */
  get bytes(): number {
    const { namedStart, positions, spellings, spellingEnds, shapeStart, offsets, lengths } = this.#packed;
    const arrays = [namedStart, positions, spellingEnds, shapeStart, offsets, lengths];
    const texts = this.#folded.bytes + this.#words.bytes + spellings.length;
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, texts);
  }

  /** Returns the tools with this folded name; undefined if there are none. */
  named(folded: string): Named[] | undefined {
    const number = this.#folded.find(folded);
    return number === undefined ? undefined : this.#namedAt(number);
  }

  /** Returns the shapes of the names that start with a word, longest first; undefined if there are none. */
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

  /** Visits the folded names in order of arrival, with their tools. */
  *all(): Generator<[folded: string, named: Named[]]> {
    for (let number = 0; number < this.#folded.length; number++)
      yield [this.#folded.at(number), this.#namedAt(number)];
  }

  /** Returns the table as plain data; shares its arrays. */
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

/** Longer names match only as a whole pattern; providers allow 64 to 128 characters. */
const MAX_NAME_CHARS = 256;

/** Whether to look for a name within patterns. Blank names, which occur in every pattern, are excluded. */
export function hasShape(folded: string): boolean {
  return folded.length <= MAX_NAME_CHARS && folded.trim() !== '';
}

/** Returns the distinct folded names, and the number of each name's folded form. */
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

/** Groups items by number, in stable order; the group of n starts at `starts[n]`. */
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

/** Returns the distinct shapes of names by first word, longest first. */
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

/** Factor that packs a shape into one number: this many times the length, plus the offset. */
const SHAPE_LENGTH = 1 << 9;
