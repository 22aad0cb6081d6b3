import { parseJson } from './read-text.ts';

/**
 * Edits a JSON text at known places and keeps every byte outside them. Numbers of any length, escapes, key
 * order, duplicate keys and white space survive because they are never parsed and written again.
 *
 * All functions take a text that `JSON.parse` accepts (a byte order mark is allowed) and positions in it. For
 * any other text, they return meaningless results but always end. Each visits a character at most once.
 */

/** A part of a text. `start` is inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One `"key": value` of an object. */
export interface JsonMember {
  /** The key with its escapes resolved. */
  readonly key: string;
  /** The span from the key's opening quote to the value's end. */
  readonly span: Span;
  readonly value: Span;
}

/** A text that replaces a span; an empty span inserts. */
export interface Edit extends Span {
  readonly text: string;
}

/** Returns the span of the value at or after `position`; white space and a byte order mark are skipped. */
export function valueSpan(text: string, position = 0): Span {
  const start = valueStart(text, position);
  return { start, end: endOfValue(text, start) };
}

/** Returns the start of that value, for callers that do not need its end. */
export function valueStart(text: string, position = 0): number {
  return skipBlank(text, text.charCodeAt(position) === BYTE_ORDER_MARK ? position + 1 : position);
}

/**
 * Returns the members of the object that begins at `start`, in order and with duplicate keys; empty for
 * another value. `endOfMember` may find the end of a value itself, and read it at the same time.
 */
export function membersOf(
  text: string,
  start: number,
  endOfMember: (key: string, start: number) => number = (_, valueStart) => endOfValue(text, valueStart),
): JsonMember[] {
  const members: JsonMember[] = [];
  if (text.charCodeAt(start) !== OPENING_BRACE) return members;
  let position = skipBlank(text, start + 1);
  while (text.charCodeAt(position) === QUOTE) {
    const keyEnd = endOfString(text, position);
    const key = readKey(text, position, keyEnd);
    const valueStart = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const value = { start: valueStart, end: endOfMember(key, valueStart) };
    members.push({ key, span: { start: position, end: value.end }, value });
    position = skipSeparator(text, value.end);
  }
  return members;
}

/** Returns the value of the last member with that key, as `JSON.parse` does; undefined when there is none. */
export function memberSpan(text: string, start: number, key: string): Span | undefined {
  let last: Span | undefined;
  if (text.charCodeAt(start) !== OPENING_BRACE) return undefined;
  let position = skipBlank(text, start + 1);
  while (text.charCodeAt(position) === QUOTE) {
    const keyEnd = endOfString(text, position);
    const valueStart = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const end = endOfValue(text, valueStart);
    if (readKey(text, position, keyEnd) === key) last = { start: valueStart, end };
    position = skipSeparator(text, end);
  }
  return last;
}

/** Returns the elements of the array that begins at `start`, in order; empty for another value. */
export function elementsOf(text: string, start: number): Span[] {
  const elements: Span[] = [];
  if (text.charCodeAt(start) !== OPENING_BRACKET) return elements;
  let position = skipBlank(text, start + 1);
  while (position < text.length && text.charCodeAt(position) !== CLOSING_BRACKET) {
    const element = { start: position, end: endOfValue(text, position) };
    // Only a text that is not JSON has an empty element.
    if (element.end === element.start) break;
    elements.push(element);
    position = skipSeparator(text, element.end);
  }
  return elements;
}

/** Returns the end of the array that begins at `start` and has these elements. */
export function endOfArray(text: string, start: number, elements: readonly Span[]): number {
  return skipBlank(text, elements.at(-1)?.end ?? start + 1) + 1;
}

/** Returns the text of a span. */
export function textOf(text: string, span: Span): string {
  return text.slice(span.start, span.end);
}

/**
 * Returns the edited text. Edits may be in any order, but must not overlap; those at one position keep their
 * order.
 */
export function splice(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < position) throw new Error(`edits overlap at ${edit.start}`);
    pieces.push(text.slice(position, edit.start), edit.text);
    position = edit.end;
  }
  return pieces.join('') + text.slice(position);
}

/**
 * Returns the edit that sets a member of an object: it replaces the last one with that key, or is appended.
 * `value` is JSON.
 */
export function setMember(text: string, object: Span, key: string, value: string): Edit {
  return changeMembers(text, object, { [key]: value })[0]!;
}

/** Returns the edits that remove every member with these keys from the object, each with one comma. */
export function removeMembers(text: string, object: Span, keys: Iterable<string>): Edit[] {
  return changeMembers(text, object, Object.fromEntries([...keys].map((key) => [key, undefined])));
}

/** The JSON of the new value for each key, or undefined to remove it. */
export type MemberChanges = Readonly<Record<string, string | undefined>>;

/**
 * Returns the edits that change members of an object. A value replaces the last one of its key, undefined
 * removes every member of its key, and new members are appended.
 */
export function changeMembers(text: string, object: Span, changes: MemberChanges): Edit[] {
  const members = membersOf(text, object.start);
  const isGone = ({ key }: JsonMember) => Object.hasOwn(changes, key) && changes[key] === undefined;
  const edits = [...removals(members, isGone)];
  const added: string[] = [];
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const present = members.findLast((member) => member.key === key);
    if (present === undefined) added.push(`${JSON.stringify(key)}:${value}`);
    else edits.push({ ...present.value, text: value });
  }
  if (added.length > 0) edits.push(insertion(members, isGone, object, added));
  return edits;
}

/** Returns the edits that remove parts of an object or a list; `parts` are all of its parts. */
function removals<Part extends { readonly span: Span }>(
  parts: readonly Part[],
  isGone: (part: Part) => boolean,
): Edit[] {
  const firstKept = parts.findIndex((part) => !isGone(part));
  return parts.flatMap((part, index) => {
    if (!isGone(part)) return [];
    // The comma after a part is removed if no part is kept before it, otherwise the comma before it.
    const isLeading = firstKept === -1 || index < firstKept;
    const start = isLeading ? part.span.start : parts[index - 1]!.span.end;
    const end = isLeading ? (parts[index + 1]?.span.start ?? part.span.end) : part.span.end;
    return [{ start, end, text: '' }];
  });
}

/** A place in a JSON value: keys of objects and indexes of lists, from the outside in. */
export type JsonPath = readonly (string | number)[];

/**
 * Returns the edits that remove the values at these places, each with one comma and with every container that
 * becomes empty; undefined when nothing would remain.
 */
export function removeValues(text: string, value: Span, paths: readonly JsonPath[]): Edit[] | undefined {
  if (paths.some((path) => path.length === 0)) return undefined;
  const parts = partsOf(text, value).map(({ step, ...part }) => {
    const below = paths.filter((path) => path[0] === step).map((path) => path.slice(1));
    return { ...part, edits: below.length === 0 ? [] : removeValues(text, part.value, below) };
  });
  const isGone = ({ edits }: { readonly edits: Edit[] | undefined }) => edits === undefined;
  if (parts.length > 0 && parts.every(isGone)) return undefined;
  return [...removals(parts, isGone), ...parts.flatMap(({ edits }) => edits ?? [])];
}

/** Returns the members of an object or the elements of a list, each with its key or index. */
function partsOf(text: string, { start }: Span): { step: string | number; span: Span; value: Span }[] {
  if (text[start] === '[') {
    return elementsOf(text, start).map((span, step) => ({ step, span, value: span }));
  }
  return membersOf(text, start).map(({ key, span, value }) => ({ step: key, span, value }));
}

function insertion(
  members: readonly JsonMember[],
  isGone: (member: JsonMember) => boolean,
  object: Span,
  added: readonly string[],
): Edit {
  const end = members.at(-1)?.span.end ?? object.start + 1;
  const separator = members.every(isGone) ? '' : ',';
  return { start: end, end, text: separator + added.join(',') };
}

/** Returns the edit that appends elements, given as JSON, to an array. */
export function appendElements(text: string, array: Span, elements: readonly string[]): Edit {
  const present = elementsOf(text, array.start);
  const end = present.at(-1)?.end ?? array.start + 1;
  const separator = present.length > 0 && elements.length > 0 ? ',' : '';
  return { start: end, end, text: separator + elements.join(',') };
}

const BYTE_ORDER_MARK = 0xfeff;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

function skipBlank(text: string, start: number): number {
  let position = start;
  while (isBlank(text.charCodeAt(position))) position += 1;
  return position;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function skipSeparator(text: string, start: number): number {
  const position = skipBlank(text, start);
  return text.charCodeAt(position) === COMMA ? skipBlank(text, position + 1) : position;
}

function readKey(text: string, start: number, end: number): string {
  const quoted = text.slice(start, end);
  return quoted.includes('\\') ? String(parseJson(quoted)) : quoted.slice(1, -1);
}

function endOfValue(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === QUOTE) return endOfString(text, start);
  if (code === OPENING_BRACE || code === OPENING_BRACKET) return endOfContainer(text, start);
  return endOfScalar(text, start);
}

function endOfScalar(text: string, start: number): number {
  let position = start;
  while (position < text.length && !isBehindScalar(text.charCodeAt(position))) position += 1;
  return position;
}

function isBehindScalar(code: number): boolean {
  return code === COMMA || code === CLOSING_BRACE || code === CLOSING_BRACKET || isBlank(code);
}

/**
 * Returns the position after the string that begins at `start`. The native search for quotes passes megabytes
 * of text within milliseconds; only escapes need a loop.
 */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote === -1) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  let position = text.indexOf('\\', start + 1);
  while (position < text.length && text.charCodeAt(position) !== QUOTE) {
    position += text.charCodeAt(position) === BACKSLASH ? 2 : 1;
  }
  return Math.min(position + 1, text.length);
}

function endOfContainer(text: string, start: number): number {
  let depth = 0;
  let position = start;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = endOfString(text, position);
      continue;
    }
    position += 1;
    if (code === OPENING_BRACE || code === OPENING_BRACKET) depth += 1;
    else if ((code === CLOSING_BRACE || code === CLOSING_BRACKET) && --depth === 0) return position;
  }
  return position;
}
