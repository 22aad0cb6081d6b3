import { byPosition, type ComparePositions } from '../ranker.ts';
import { hashText } from '../text/hash-text.ts';

/** Tools whose names occur in a pattern. */
export interface ExactNames {
  /** Positions, in the order of the names in the pattern. */
  readonly positions: readonly number[];
  /** Whether the pattern requests exactly these: `select:a,b`. */
  readonly isWholeAnswer: boolean;
}

/** The positions of a search, and their order. */
export interface ShownPositions {
  has(position: number): boolean;
  readonly compare: ComparePositions;
}

const ALL_SHOWN: ShownPositions = { has: () => true, compare: byPosition };

/** Bounds a search in which every word starts some name; real ones take a few dozen attempts. */
const MAX_ATTEMPTS = 20_000;

/** Memory of a name, in bytes: a string, a folded one, a map entry, a list of positions. Measured. */
const NAME_BYTES = 370;

/** A tool's name as spelled. */
interface Named {
  readonly spelling: string;
  readonly position: number;
}

/** The offset of the first word in a name (1 in `_search`), and the length of the name. */
interface NameShape {
  readonly offset: number;
  readonly length: number;
}

/** Longer names match only as a whole pattern; providers allow 64 to 128 characters. */
const MAX_NAME_CHARS = 256;

const NONE: readonly Named[] = [];
const NO_SHAPES: readonly NameShape[] = [];

/**
 * Finds tools by their complete names, ignoring case.
 *
 * A search takes time in the length of the pattern, whatever the number of names. Only grows: revisions of a
 * catalogue share one index, and each restricts it to its own positions.
 */
export class NameIndex {
  /** All tools by folded name, in order of arrival. */
  readonly #byFoldedName = new Map<string, Named[]>();
  /** Shapes of names by the hash of the first word, longest first: a search makes no strings of other words. */
  readonly #shapesByWord = new Map<number, NameShape[]>();
  #size = 0;

  /** @param names by position. */
  constructor(names: readonly string[] = []) {
    names.forEach((name, position) => {
      this.add(name, position);
    });
  }

  /** Approximate memory held, in bytes. */
  get bytes(): number {
    return this.#size * NAME_BYTES;
  }

  /** Returns the positions of an exact name, in catalogue order. */
  positionsOf(name: string, shown = ALL_SHOWN): readonly number[] {
    const sameFolded = this.#shownOf(name.toLowerCase(), shown) ?? NONE;
    return sameFolded.filter(({ spelling }) => spelling === name).map(({ position }) => position);
  }

  /**
   * Returns tools whose complete names occur in the pattern: a name's neighbours must not be letters, digits,
   * `_`, or a `-` that joins it to a word. Of overlapping names, the first and longest counts. If several
   * tools differ only in case, the one spelled as in the pattern is first.
   */
  findIn(pattern: string, shown = ALL_SHOWN): ExactNames {
    const list = /^\s*select:/i.exec(pattern);
    if (list === null) return { positions: this.#scan(pattern, shown), isWholeAnswer: false };
    const positions = this.#scan(pattern.slice(list[0].length), shown);
    return { positions, isWholeAnswer: positions.length > 0 };
  }

  /** Returns an index with the names of some positions, renumbered. */
  copy(positions: Uint32Array): NameIndex {
    const newPosition = new Map<number, number>();
    positions.forEach((position, at) => {
      newPosition.set(position, at);
    });
    const copy = new NameIndex();
    for (const named of this.#byFoldedName.values()) {
      for (const { spelling, position } of named) {
        const place = newPosition.get(position);
        if (place !== undefined) copy.add(spelling, place);
      }
    }
    return copy;
  }

  /** Adds a name; a position may have several. */
  add(name: string, position: number): void {
    this.#size++;
    const folded = name.toLowerCase();
    const same = this.#byFoldedName.get(folded);
    if (same !== undefined) {
      same.push({ spelling: name, position });
      return;
    }
    this.#byFoldedName.set(folded, [{ spelling: name, position }]);
    // Blank names occur in every pattern.
    if (folded.length <= MAX_NAME_CHARS && folded.trim() !== '') this.#addShape(folded);
  }

  #addShape(folded: string): void {
    const { word, offset } = firstWordOf(folded);
    const shape = { offset, length: folded.length };
    const hash = hashText(word);
    const shapes = this.#shapesByWord.get(hash);
    if (shapes === undefined) {
      this.#shapesByWord.set(hash, [shape]);
      return;
    }
    if (shapes.some((known) => known.offset === offset && known.length === shape.length)) return;
    const place = shapes.findIndex((known) => known.length < shape.length);
    shapes.splice(place < 0 ? shapes.length : place, 0, shape);
  }

  #scan(pattern: string, shown: ShownPositions): readonly number[] {
    const folded = pattern.toLowerCase();
    const trimmed = folded.trim();
    const whole = trimmed === '' ? undefined : this.#shownOf(trimmed, shown);
    if (whole !== undefined) return this.#spelledLike(pattern.trim(), whole);

    let found: Set<number> | undefined;
    let attemptsLeft = MAX_ATTEMPTS;
    let freeFrom = 0;
    for (let at = 0; at < folded.length && attemptsLeft > 0; ) {
      const end = wordEnd(folded, at);
      for (const { offset, length } of this.#shapesByWord.get(hashText(folded, at, end)) ?? NO_SHAPES) {
        const start = at - offset;
        if (start < freeFrom || !isWhole(folded, start, start + length)) continue;
        attemptsLeft -= 1;
        const named = this.#shownOf(folded.slice(start, start + length), shown);
        if (named === undefined) continue;
        // Folding may change the length of rare letters; the spelling is then compared at a wrong place,
        // which only affects the order.
        found ??= new Set();
        for (const position of this.#spelledLike(pattern.slice(start, start + length), named))
          found.add(position);
        freeFrom = start + length;
        break;
      }
      at = Math.max(end, freeFrom);
    }
    return found === undefined ? [] : [...found];
  }

  /** Returns the visible tools with a folded name, in catalogue order; undefined if there are none. */
  #shownOf(folded: string, { has, compare }: ShownPositions): readonly Named[] | undefined {
    const named = this.#byFoldedName.get(folded)?.filter(({ position }) => has(position));
    if (named === undefined || named.length === 0) return undefined;
    return named.length === 1 ? named : named.sort((left, right) => compare(left.position, right.position));
  }

  #spelledLike(spelling: string, named: readonly Named[]): readonly number[] {
    const isAsSpelled = (one: Named): boolean => one.spelling === spelling;
    const ordered =
      named.length === 1
        ? named
        : [...named.filter(isAsSpelled), ...named.filter((one) => !isAsSpelled(one))];
    return ordered.map(({ position }) => position);
  }
}

/** Returns the first run of letters and digits or, in a name without any, its first character. */
export function firstWordOf(folded: string): { word: string; offset: number } {
  for (let at = 0; at < folded.length; at += 1) {
    if (isWordAt(folded, at)) return { word: folded.slice(at, wordEnd(folded, at)), offset: at };
  }
  const word = folded.slice(0, wordEnd(folded, 0));
  return { word, offset: 0 };
}

/**
 * Returns the end of the run of letters and digits that starts here, or of the single other character here.
 */
export function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isWordAt(text, end)) end += charLength(text, end);
  return end > start ? end : start + charLength(text, start);
}

/** Whether the neighbours of this range are not letters, digits, `_`, or a `-` that joins it to a word. */
export function isWhole(text: string, start: number, end: number): boolean {
  return end <= text.length && !isJoinedBefore(text, start) && !isJoinedAfter(text, end);
}

function isJoinedBefore(text: string, start: number): boolean {
  if (start === 0) return false;
  const before = text[start - 1];
  return (
    before === '_' ||
    (before === '-' ? start > 1 && isWordBefore(text, start - 1) : isWordBefore(text, start))
  );
}

function isJoinedAfter(text: string, end: number): boolean {
  if (end === text.length) return false;
  const after = text[end];
  return after === '_' || (after === '-' ? isWordAt(text, end + 1) : isWordAt(text, end));
}

function isWordBefore(text: string, end: number): boolean {
  const isLowSurrogate = (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00;
  return isWordAt(text, end - (isLowSurrogate && end > 1 ? 2 : 1));
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/uy;

/**
 * Whether a letter, a digit or a combining mark is at this place. ASCII, by far the most frequent, is decided
 * without a regular expression.
 */
function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80)
    return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  WORD_CHARACTER.lastIndex = at;
  return WORD_CHARACTER.test(text);
}

function charLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
