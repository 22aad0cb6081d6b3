import { isJsonObject, type Json } from '@winnow/registry';
import { foldToLine, removeInvisible } from '@winnow/text';

/** Scanned text for one line, as a multiple of the line's length. */
const SCANNED = 16;

/** A text on one line, cut at a grapheme when it is longer than so many characters. */
export function displayLine(text: string, maxChars: number): string {
  // The rest cannot be shown, and may be megabytes.
  return foldToLine(removeInvisible(text.slice(0, SCANNED * maxChars)), maxChars);
}

/** Members of a schema whose values are compared with what a model writes: they must stay as they are. */
const COMPARED = new Set(['enum', 'const', 'default', 'pattern', 'required', '$ref']);

/** A definition whose texts are fit to be read; names of members, and values that are compared, stay as they are. */
export function displayJson<Value extends Json>(value: Value): Value;
export function displayJson(value: Json): Json {
  if (typeof value === 'string') return removeInvisible(value);
  if (Array.isArray(value)) return value.map((item: Json) => displayJson(item));
  if (!isJsonObject(value)) return value;
  // `fromEntries` makes a member of every name, `__proto__` included.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, COMPARED.has(name) ? member : displayJson(member)]),
  );
}
