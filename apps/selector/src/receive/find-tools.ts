/** The start of the top-level member `tools`, or the reason why it needs a full parse. */
export type ToolsPlace =
  /** `start` is the offset of the array's `[`. */
  | { readonly kind: 'found'; readonly start: number }
  /** The text ends too early; try again with more of it. */
  | { readonly kind: 'incomplete' }
  /** Not an object, not a plain `tools` array, or otherwise unusual: parse the whole body. */
  | { readonly kind: 'unknown' };

const UNKNOWN: ToolsPlace = { kind: 'unknown' };
const INCOMPLETE: ToolsPlace = { kind: 'incomplete' };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
/** `]` */
export const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const TOOLS = Buffer.from('tools');

/** The text ends within a token. Never a valid offset. */
const CUT_OFF = -1;
/** The text does not look like a plain JSON object. Never a valid offset. */
const UNUSUAL = -2;

/**
 * Finds the start of the first top-level `tools` array, without parsing.
 *
 * Skips the members before it without validating them: callers parse the text around the array. An escaped
 * key is `unknown`, because it may spell `tools`. Takes one pass over the bytes before the array.
 */
export function findTools(text: Buffer): ToolsPlace {
  const open = skipSpace(text, 0);
  if (open === text.length) return INCOMPLETE;
  if (text[open] !== OPEN_OBJECT) return UNKNOWN;
  return findToolsMember(text, open + 1);
}

/**
 * Whether the text after a `tools` array has no second `tools` member. Only then is the array the parsed
 * value, because the last of equal keys wins. `rest` starts right after the array's `]`.
 */
export function isLastTools(rest: Buffer): boolean {
  const at = skipSpace(rest, 0);
  if (rest[at] === CLOSE_OBJECT) return true;
  if (rest[at] !== COMMA) return false;
  // `incomplete` means that the object never closes; parsing the envelope reports that.
  return reachesEnd(rest, at + 1);
}

/**
 * Returns the offset of the array's `]` or of the next element, after one that ended at `end`; negative if
 * the text is not an array or ends.
 */
export function nextElement(text: Buffer, end: number): number {
  const at = skipSpace(text, end);
  if (text[at] === CLOSE_ARRAY) return at;
  return text[at] === COMMA ? firstElement(text, at) : UNUSUAL;
}

/**
 * Returns the offset of the array's `]` or of its first element; `before` is the offset of its `[`, or of a
 * comma, which no `]` may follow.
 */
export function firstElement(text: Buffer, before: number): number {
  const at = skipSpace(text, before + 1);
  if (at === text.length) return CUT_OFF;
  return text[at] === CLOSE_ARRAY && text[before] === COMMA ? UNUSUAL : at;
}

/**
 * Returns the offset after the object at `at`, or a negative value if there is none. Counts its brackets
 * without checking them.
 */
export function endOfObject(text: Buffer, at: number): number {
  return text[at] === OPEN_OBJECT ? skipBrackets(text, at) : UNUSUAL;
}

function findToolsMember(text: Buffer, firstKey: number): ToolsPlace {
  let at = firstKey;
  for (;;) {
    const member = readKey(text, at);
    if (member.value < 0) return member.value === CUT_OFF ? INCOMPLETE : UNKNOWN;
    if (member.isTools) {
      return text[member.value] === OPEN_ARRAY ? { kind: 'found', start: member.value } : UNKNOWN;
    }
    const behind = skipMemberValue(text, member.value);
    if (behind === CUT_OFF) return INCOMPLETE;
    // `}`: the object ends without `tools`.
    if (behind === UNUSUAL || text[behind] !== COMMA) return UNKNOWN;
    at = behind + 1;
  }
}

function reachesEnd(text: Buffer, firstKey: number): boolean {
  let at = firstKey;
  for (;;) {
    const member = readKey(text, at);
    if (member.value < 0 || member.isTools) return false;
    const behind = skipMemberValue(text, member.value);
    if (behind < 0) return false;
    if (text[behind] === CLOSE_OBJECT) return true;
    if (text[behind] !== COMMA) return false;
    at = behind + 1;
  }
}

/** Reads `"key" :` and returns the offset of the value, or a negative mark. */
function readKey(text: Buffer, from: number): { value: number; isTools: boolean } {
  const quote = skipSpace(text, from);
  if (quote === text.length) return { value: CUT_OFF, isTools: false };
  if (text[quote] !== QUOTE) return { value: UNUSUAL, isTools: false };
  const behindKey = skipString(text, quote);
  if (behindKey < 0) return { value: behindKey, isTools: false };
  const key = text.subarray(quote + 1, behindKey - 1);
  if (key.includes(BACKSLASH)) return { value: UNUSUAL, isTools: false };
  const colon = skipSpace(text, behindKey);
  if (colon === text.length) return { value: CUT_OFF, isTools: false };
  if (text[colon] !== COLON) return { value: UNUSUAL, isTools: false };
  const value = skipSpace(text, colon + 1);
  return { value: value === text.length ? CUT_OFF : value, isTools: key.equals(TOOLS) };
}

/** Returns the offset of the `,` or `}` after the value at `from`, or a negative mark. */
function skipMemberValue(text: Buffer, from: number): number {
  const behind = skipValue(text, from);
  if (behind < 0) return behind;
  const next = skipSpace(text, behind);
  return next === text.length ? CUT_OFF : next;
}

function skipValue(text: Buffer, from: number): number {
  const first = text[from];
  if (first === QUOTE) return skipString(text, from);
  if (first === OPEN_ARRAY || first === OPEN_OBJECT) return skipBrackets(text, from);
  let at = from;
  while (at < text.length && !endsScalar(text[at]!)) at++;
  return at === text.length ? CUT_OFF : at;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte);
}

/**
 * Returns the offset after the bracket that closes the one at `from`. Does not distinguish kinds of brackets:
 * the text is checked elsewhere.
 */
function skipBrackets(text: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const byte = text[at]!;
    if (byte === QUOTE) {
      at = skipString(text, at);
      if (at < 0) return at;
      continue;
    }
    at++;
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if ((byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && --depth === 0) return at;
  }
  return CUT_OFF;
}

/** Returns the offset after the closing quote of the string at `from`. */
function skipString(text: Buffer, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const byte = text[at]!;
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return CUT_OFF;
}

function skipSpace(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text[at]!)) at++;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
