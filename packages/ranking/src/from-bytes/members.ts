import { CODE_ESCAPE, NINE, SIMPLE_ESCAPE, ZERO } from './json-bytes.ts';
import type { JsonTape } from './json-tape.ts';
import { KEYWORD_COUNT, keywordOf, NO_KEYWORD } from './keywords.ts';

/** What a key with one of these is cannot be said from its bytes. */
const ESCAPES = SIMPLE_ESCAPE | CODE_ESCAPE;

/** For each keyword its value in an object; 0, which no member can be, when the object does not have it. */
export type Members = Int32Array;

/** An empty {@link Members}. */
export function createMembers(): Members {
  return new Int32Array(KEYWORD_COUNT);
}

/** Finds the keywords in an object. False when a parser might find others: a keyword stands there twice, or a key has escapes. */
export function findMembers(tape: JsonTape, bytes: Buffer, object: number, members: Members): boolean {
  members.fill(0);
  const end = tape.nexts[object]!;
  for (let key = object + 1; key < end; key = tape.nexts[key + 1]!) {
    const keyword = keywordIn(tape, bytes, key);
    if (keyword === NO_KEYWORD) continue;
    if (keyword === UNSURE || members[keyword] !== 0) return false;
    members[keyword] = key + 1;
  }
  return true;
}

/** In place of a keyword: it may be any. */
export const UNSURE = -1;

/** The keyword that a key is, NO_KEYWORD or UNSURE. */
export function keywordIn(tape: JsonTape, bytes: Buffer, key: number): number {
  const marks = tape.marks[key]!;
  if (marks === 0) return keywordOf(tape, bytes, key);
  return (marks & ESCAPES) === 0 ? NO_KEYWORD : UNSURE;
}

/** More members are not compared, as that is done pair by pair. */
const MAX_ORDERED = 128;

/**
 * Whether a parser gives the members of an object as they stand: no key has escapes, none stands there twice, and none is a whole number, which
 * JavaScript puts before all others. False as well when that is not known: keys of the same hash, or very many.
 */
export function isInOrder(tape: JsonTape, bytes: Buffer, object: number): boolean {
  const end = tape.nexts[object]!;
  const first = object + 1;
  // Most hold a handful.
  if (first < end && tape.nexts[first + 1] === end) return true;
  let count = 0;
  for (let key = first; key < end; key = tape.nexts[key + 1]!) {
    if (++count > MAX_ORDERED || (tape.marks[key]! & ESCAPES) !== 0 || isNumber(tape, bytes, key))
      return false;
    const hash = tape.hashes[key]!;
    const length = tape.ends[key]! - tape.starts[key]!;
    for (let before = first; before < key; before = tape.nexts[before + 1]!) {
      if (tape.hashes[before] === hash && tape.ends[before]! - tape.starts[before]! === length) return false;
    }
  }
  return true;
}

function isNumber(tape: JsonTape, bytes: Buffer, key: number): boolean {
  const end = tape.ends[key]!;
  let at = tape.starts[key]!;
  if (at === end) return false;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  return at === end;
}
