import { SCHEMA_KEYS } from '../tools/tool-shapes.ts';
import type { JsonTape } from './json-tape.ts';

/** No keyword. */
export const NO_KEYWORD = 0;

// Of tools and what they are wrapped in.
export const NAME = 1;
export const DEFINITION = 2;
export const VECTOR = 3;
export const FUNCTION = 4;
export const TOOL_SPEC = 5;
/** The first of the schema keys, which have the numbers from here on in their order. */
export const FIRST_SCHEMA_KEY = 6;
export const BEHIND_SCHEMA_KEYS: number = FIRST_SCHEMA_KEY + SCHEMA_KEYS.length;

// Of schemas; a tool has a description too.
export const JSON_KEY = 10;
export const DESCRIPTION = 11;
export const TITLE = 12;
export const CONST = 13;
export const ENUM = 14;
export const PROPERTIES = 15;
export const ITEMS = 16;
export const ADDITIONAL_PROPERTIES = 17;
export const PREFIX_ITEMS = 18;
export const ANY_OF = 19;
export const ONE_OF = 20;
export const ALL_OF = 21;
export const PATTERN_PROPERTIES = 22;
export const REFERENCE = 23;

/** By number, which is below 32 so that a set of them is one word of bits. */
const KEYWORDS: readonly string[] = [
  '',
  'name',
  'definition',
  'vector',
  'function',
  'toolSpec',
  ...SCHEMA_KEYS,
  'json',
  'description',
  'title',
  'const',
  'enum',
  'properties',
  'items',
  'additionalProperties',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'patternProperties',
  '$ref',
];
/** How many numbers there are, {@link NO_KEYWORD} included. */
export const KEYWORD_COUNT: number = KEYWORDS.length;

const TEXTS: readonly Uint8Array[] = KEYWORDS.map((keyword) => Buffer.from(keyword));

/** A hash table with open addressing, four times as large as it need be. */
const SLOT_BITS = 7;
const SLOTS = new Uint8Array(2 ** SLOT_BITS);
const SLOT_HASHES = new Int32Array(SLOTS.length);
for (let keyword = 1; keyword < KEYWORD_COUNT; keyword++) {
  const hash = TEXTS[keyword]!.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 0);
  let slot = slotOf(hash);
  while (SLOTS[slot] !== NO_KEYWORD) slot = (slot + 1) % SLOTS.length;
  SLOTS[slot] = keyword;
  SLOT_HASHES[slot] = hash;
}

/** The number of the keyword that a key without marks is, or NO_KEYWORD. */
export function keywordOf(tape: JsonTape, bytes: Buffer, key: number): number {
  const hash = tape.hashes[key]!;
  for (let slot = slotOf(hash); SLOTS[slot] !== NO_KEYWORD; slot = (slot + 1) % SLOTS.length) {
    if (SLOT_HASHES[slot] === hash && isText(tape, bytes, key, TEXTS[SLOTS[slot]!]!)) return SLOTS[slot]!;
  }
  return NO_KEYWORD;
}

/** Multiplicative hashing: the upper bits are mixed best. */
function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

function isText(tape: JsonTape, bytes: Buffer, key: number, text: Uint8Array): boolean {
  const start = tape.starts[key]!;
  const { length } = text;
  if (tape.ends[key]! - start !== length) return false;
  for (let at = 0; at < length; at++) if (bytes[start + at] !== text[at]) return false;
  return true;
}
