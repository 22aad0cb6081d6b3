import { isUtf8 } from 'node:buffer';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfNumber,
  endOfString,
  FOREIGN,
  IS_PLAIN,
  NOT_JSON,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts';

/** Kinds of nodes. */
export const NULL = 0;
export const BOOLEAN = 1;
export const NUMBER = 2;
export const STRING = 3;
export const ARRAY = 4;
export const OBJECT = 5;
export const KEY = 6;

/** How much is read of one value. What is larger is given up on. */
export const TAPE_LIMITS = {
  /** Keys and values. */
  nodes: 4_096,
  /** Objects and arrays within each other. */
  depth: 48,
} as const;

/**
 * The parts of one JSON value in the order in which they stand, as rows of numbers that are used again for the next value.
 *
 * An object is followed by its members, each a key and its value, an array by its elements; `nexts` leads behind what belongs to a
 * value: the members of the object `node` are at `key = node + 1`, then `key = nexts[key + 1]`, while `key < nexts[node]`.
 */
export class JsonTape {
  readonly kinds: Uint8Array = new Uint8Array(TAPE_LIMITS.nodes);
  /** Of strings and keys: where their text stands, without its quotes. Of numbers: their text. */
  readonly starts: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  readonly ends: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  /** Of strings and keys: what is out of the ordinary in them (`SIMPLE_ESCAPE`, `CODE_ESCAPE`, `FOREIGN`); 0 for plain ASCII. */
  readonly marks: Uint8Array = new Uint8Array(TAPE_LIMITS.nodes);
  /** Of values: the node behind them and all that they hold. */
  readonly nexts: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  /** Of keys: h ← 31 · h + byte, from 0, as 32 bits, over their bytes as they stand. */
  readonly hashes: Int32Array = new Int32Array(TAPE_LIMITS.nodes);
  readonly #open: Int32Array = new Int32Array(TAPE_LIMITS.depth);

  /**
   * Reads the JSON value that starts at `start` or behind white space there, and gives the offset behind it. Undefined when no value as `JSON.parse`
   * takes it ends before `limit`, or when it is beyond TAPE_LIMITS; the tape is then of no use. Reads nothing from `limit` on. Never throws.
   *
   * Cost: one pass, about 2 ms per megabyte; nothing is allocated, but for a view where there is text that is not ASCII.
   */
  read(bytes: Buffer, start: number, limit: number): number | undefined {
    const end = this.#read(bytes, start, Math.min(limit, bytes.length));
    return end === NOT_JSON ? undefined : end;
  }

  /** Long, as it is one state machine. */
  #read(bytes: Buffer, start: number, limit: number): number {
    const { kinds, starts, ends, marks, nexts, hashes } = this;
    const open = this.#open;
    let depth = 0;
    let count = 0;
    let allMarks = 0;
    let isInObject = false;
    let at = start;
    for (;;) {
      // A key and a value at most are added in one round.
      if (count + 2 > TAPE_LIMITS.nodes) return NOT_JSON;

      // 1. In an object, a key and a colon.
      if (isInObject) {
        at = skipSpace(bytes, at, limit);
        if (at >= limit || bytes[at] !== QUOTE) return NOT_JSON;
        starts[count] = ++at;
        let hash = 0;
        while (at < limit && IS_PLAIN[bytes[at]!] === 1) hash = (Math.imul(hash, 31) + bytes[at++]!) | 0;
        marks[count] = 0;
        if (at >= limit || bytes[at] !== QUOTE) {
          const end = endOfString(bytes, at, limit, marks, count);
          if (end < 0) return NOT_JSON;
          allMarks |= marks[count]!;
          while (at < end) hash = (Math.imul(hash, 31) + bytes[at++]!) | 0;
        }
        kinds[count] = KEY;
        ends[count] = at;
        hashes[count++] = hash;
        at = skipSpace(bytes, at + 1, limit);
        if (at >= limit || bytes[at] !== COLON) return NOT_JSON;
        at++;
      }

      // 2. A value, or the beginning of one.
      at = skipSpace(bytes, at, limit);
      if (at >= limit) return NOT_JSON;
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        starts[count] = ++at;
        while (at < limit && IS_PLAIN[bytes[at]!] === 1) at++;
        marks[count] = 0;
        if (at >= limit || bytes[at] !== QUOTE) {
          const end = endOfString(bytes, at, limit, marks, count);
          if (end < 0) return NOT_JSON;
          allMarks |= marks[count]!;
          at = end;
        }
        kinds[count] = STRING;
        ends[count] = at++;
        nexts[count] = count + 1;
        count++;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (depth === TAPE_LIMITS.depth) return NOT_JSON;
        open[depth++] = count;
        isInObject = byte === OPEN_OBJECT;
        kinds[count++] = isInObject ? OBJECT : ARRAY;
        at = skipSpace(bytes, at + 1, limit);
        if (at >= limit) return NOT_JSON;
        // Only an empty one may end here.
        if (bytes[at] !== (isInObject ? CLOSE_OBJECT : CLOSE_ARRAY)) continue;
      } else {
        starts[count] = at;
        const kind = kindOfScalar(byte);
        at = kind === NUMBER ? endOfNumber(bytes, at, limit) : endOfLiteral(bytes, at, limit);
        if (at < 0) return NOT_JSON;
        kinds[count] = kind;
        ends[count] = at;
        nexts[count] = count + 1;
        count++;
      }

      // 3. What ends behind it.
      for (;;) {
        if (depth === 0) return checkText(bytes, start, at, allMarks);
        at = skipSpace(bytes, at, limit);
        if (at >= limit) return NOT_JSON;
        const behind = bytes[at++]!;
        if (behind === COMMA) break;
        if (behind !== (isInObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return NOT_JSON;
        nexts[open[--depth]!] = count;
        isInObject = depth > 0 && kinds[open[depth - 1]!] === OBJECT;
      }
    }
  }
}

function skipSpace(bytes: Buffer, from: number, limit: number): number {
  let at = from;
  while (at < limit && bytes[at]! <= 0x20 && isSpace(bytes[at]!)) at++;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;

/** What a value is by its first byte, when it is one. */
function kindOfScalar(byte: number): number {
  if (byte === LETTER_T || byte === LETTER_F) return BOOLEAN;
  return byte === LETTER_N ? NULL : NUMBER;
}

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL_TEXT = Buffer.from('null');

function endOfLiteral(bytes: Buffer, from: number, limit: number): number {
  const literal = bytes[from] === LETTER_T ? TRUE : bytes[from] === LETTER_F ? FALSE : NULL_TEXT;
  if (from + literal.length > limit) return NOT_JSON;
  for (let at = 0; at < literal.length; at++) if (bytes[from + at] !== literal[at]) return NOT_JSON;
  return from + literal.length;
}

function checkText(bytes: Buffer, start: number, end: number, marks: number): number {
  return (marks & FOREIGN) === 0 || isUtf8(bytes.subarray(start, end)) ? end : NOT_JSON;
}
