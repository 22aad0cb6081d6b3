import { isJsonObject, type Json } from '@winnow/registry';
import { graphemesOf, removeInvisible } from '@winnow/text';

/** How many times the length of a line is looked at to fill it. */
const SCANNED = 16;

/** A text on one line, cut at a grapheme when it is longer than so many characters. */
export function displayLine(text: string, maxChars: number): string {
  // Nobody waits for megabytes of which a line is kept.
  const line = removeInvisible(text.slice(0, SCANNED * maxChars))
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= maxChars) return line;
  let cut = '';
  for (const grapheme of graphemesOf(line)) {
    if (cut.length + grapheme.length > maxChars - 1) break;
    cut += grapheme;
  }
  return `${cut.trimEnd()}…`;
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
