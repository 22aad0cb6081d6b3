import { isJsonObject } from './canonical-json.ts';
import {
  changeMembers,
  type Edit,
  elementsOf,
  memberSpan,
  membersOf,
  type Span,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from './json-splice.ts';
import { parseJson } from './read-text.ts';

/**
 * JSON that is passed on as it was written. A parsed value loses the digits of large numbers, duplicate keys, the order of keys that are
 * integers, and the spelling of numbers and texts. So objects that are relayed remember their text: they are read as values, and written as
 * that text. A copy of an object does not remember it.
 */
const TEXTS = new WeakMap<object, string>();

/** Parses like `parseJson`; an object, and each object in a list, remembers its text. */
export function parseKept(text: string): unknown {
  const value = parseJson(text);
  if (isJsonObject(value)) TEXTS.set(value, text);
  if (!Array.isArray(value) || !value.some(isJsonObject)) return value;
  elementsOf(text, valueStart(text)).forEach((span, at) => {
    if (isJsonObject(value[at])) TEXTS.set(value[at], textOf(text, span));
  });
  return value;
}

/** Returns the value of a member, which remembers its text if the object does. */
export function keptMember(object: object, key: string): unknown {
  const value = (object as Readonly<Record<string, unknown>>)[key];
  if (!isJsonObject(value) || !TEXTS.has(object) || TEXTS.has(value)) return value;
  const text = keptText(object, key);
  if (text !== undefined) TEXTS.set(value, text);
  return value;
}

/** Returns the text of a member; undefined when there is none. */
export function keptText(object: object, key: string): string | undefined {
  const text = TEXTS.get(object);
  if (text === undefined) return JSON.stringify((object as Readonly<Record<string, unknown>>)[key]);
  const span = memberSpan(text, valueSpan(text).start, key);
  return span && textOf(text, span);
}

/** Depth of the objects around those that remember their text: of the arguments in the parameters of a message. */
const DEPTH = 2;

/** Writes like `JSON.stringify`; objects that remember their text are written as that, in members of members, too. */
export function writeKept(value: unknown, depth = DEPTH): string {
  const text = isJsonObject(value) ? TEXTS.get(value) : undefined;
  if (text !== undefined) return text.trim();
  if (!isJsonObject(value) || depth === 0) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${writeKept(member, depth - 1)}`);
  return `{${members.join(',')}}`;
}

/** Another value for a member at a place, as JSON; undefined removes the member. */
export interface KeptChange {
  readonly path: readonly string[];
  readonly value: string | undefined;
}

/** Returns an object with other values at some places, which remembers a text that is the same elsewhere. */
export function changeKept(
  object: object,
  changes: readonly KeptChange[],
): Readonly<Record<string, unknown>> {
  const text = writeKept(object);
  return parseKept(splice(text, editsIn(text, valueSpan(text), changes))) as Readonly<
    Record<string, unknown>
  >;
}

function editsIn(text: string, span: Span, changes: readonly KeptChange[]): Edit[] {
  const own = changes.filter(({ path }) => path.length === 1).map(({ path, value }) => [path[0]!, value]);
  const below = Map.groupBy(
    changes.filter(({ path }) => path.length > 1),
    ({ path }) => path[0]!,
  );
  const edits = own.length === 0 ? [] : changeMembers(text, span, Object.fromEntries(own));
  if (below.size === 0) return edits;
  // Of equal keys, the last counts.
  const parts = new Map(
    text[span.start] === '['
      ? elementsOf(text, span.start).map((value, index) => [String(index), value] as const)
      : membersOf(text, span.start).map(({ key, value }) => [key, value] as const),
  );
  const inner = [...below].flatMap(([key, deeper]) => {
    const value = parts.get(key);
    return value === undefined
      ? []
      : editsIn(
          text,
          value,
          deeper.map(({ path, ...rest }) => ({ ...rest, path: path.slice(1) })),
        );
  });
  return [...edits, ...inner];
}
