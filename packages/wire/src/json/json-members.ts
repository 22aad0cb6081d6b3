import { isDeepStrictEqual } from 'node:util';
import {
  changeMembers,
  type Edit,
  elementsOf,
  type MemberChanges,
  memberSpan,
  removeMembers,
  type Span,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '@winnow/core';
import { isJsonObject, type JsonObject, parseJson } from './json-value.ts';

/** Parses a text as a JSON object; undefined for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  return isJsonObject(parsed) ? parsed : undefined;
}

/** Whether there are no changes. */
function isEmpty(changes: MemberChanges): boolean {
  for (const _ in changes) return false;
  return true;
}

/** Keys that lead to a value, from the outside in. A list stands for the first object in it. */
export type Place = readonly string[];

/** Returns the span of the value at a place; undefined when there is none. */
export function spanAt(text: string, place: Place): Span | undefined {
  let span: Span | undefined = { start: valueStart(text), end: text.length };
  for (const key of place) {
    span = span && memberSpan(text, span.start, key);
    if (span !== undefined && text[span.start] === '[') {
      span = elementsOf(text, span.start).find(({ start }) => text[start] === '{');
    }
  }
  return span;
}

/**
 * Returns the text with changed members in the objects at these places. Changes at missing places are
 * ignored.
 */
export function withChangesAt<Name extends string>(
  text: string,
  places: Readonly<Record<Name, Place>>,
  changes: { readonly [Key in Name]?: MemberChanges | undefined },
): string {
  const edits: Edit[] = [];
  for (const name in changes) {
    const members = changes[name];
    if (members === undefined || isEmpty(members)) continue;
    const span = spanAt(text, places[name]);
    if (span !== undefined) edits.push(...changeMembers(text, span, members));
  }
  return edits.length === 0 ? text : splice(text, edits);
}

/** Returns the changes that set these members of an object, where they differ. */
export function changesTo(own: JsonObject, wanted: JsonObject): MemberChanges {
  const changed = Object.entries(wanted).filter(([key, value]) => !isSame(own[key], value));
  return Object.fromEntries(changed.map(([key, value]) => [key, JSON.stringify(value)]));
}

/** Whether two values are equal. Values that are nested too deeply to compare or to write count as equal. */
function isSame(own: unknown, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(own, wanted);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return true;
  }
}

/** Returns a member of an object as JSON; undefined when it is missing. */
export function memberOf(text: string, key: string): string | undefined {
  const span = memberSpan(text, valueStart(text), key);
  return span && textOf(text, span);
}

/**
 * Returns the elements of a list member, each as JSON; empty for any other member. It is a member of the
 * object at `place`.
 */
export function memberTexts(text: string, key: string, place: Place = []): string[] {
  const object = spanAt(text, place);
  const span = object && memberSpan(text, object.start, key);
  return span === undefined ? [] : elementsOf(text, span.start).map((element) => textOf(text, element));
}

/**
 * Returns the text with edited elements of a list, each given as JSON; undefined removes one. The list is a
 * member of the object at `place`. The same string when nothing changes.
 */
export function withElements(
  text: string,
  key: string,
  edit: (element: string, at: number) => string | undefined,
  place: Place = [],
): string {
  const object = spanAt(text, place);
  const list = object && memberSpan(text, object.start, key);
  if (list === undefined) return text;
  const spans = elementsOf(text, list.start);
  const elements = spans.map((span) => textOf(text, span));
  const edited = elements.map(edit);
  if (edited.includes(undefined)) {
    const kept = edited.filter((element) => element !== undefined);
    return splice(text, [{ ...list, text: `[${kept.join(',')}]` }]);
  }
  const changed = spans.map((span, at) => ({ ...span, text: edited[at]! }));
  const edits = changed.filter((edit, at) => edit.text !== elements[at]);
  return edits.length === 0 ? text : splice(text, edits);
}

/**
 * Returns the object with these members replaced; undefined removes one. The same string when nothing
 * changes.
 */
export function withMembers(text: string, changes: MemberChanges): string {
  if (isEmpty(changes)) return text;
  const edits = changeMembers(text, valueSpan(text), changes);
  return edits.length === 0 ? text : splice(text, edits);
}

/** Returns the object with one member edited, if it has it. */
export function withMember(text: string, key: string, edit: (value: string) => string): string {
  const span = memberSpan(text, valueStart(text), key);
  if (span === undefined) return text;
  const value = textOf(text, span);
  const edited = edit(value);
  return edited === value ? text : splice(text, [{ ...span, text: edited }]);
}

/** Returns the object without these members. */
export function withoutMembers(text: string, keys: readonly string[]): string {
  return splice(text, removeMembers(text, valueSpan(text), keys));
}

/**
 * Returns the change that removes some elements of a list member; no change when all of them stay. `read` is
 * the parsed object.
 */
export function withoutElements(
  text: string,
  read: JsonObject,
  key: string,
  isGone: (element: JsonObject) => boolean,
): Readonly<Record<string, string>> {
  const elements = read[key];
  if (!Array.isArray(elements) || !elements.some((one) => isJsonObject(one) && isGone(one))) return {};
  const kept = memberTexts(text, key).filter((_, at) => {
    const element: unknown = elements[at];
    return !isJsonObject(element) || !isGone(element);
  });
  return { [key]: `[${kept.join(',')}]` };
}
