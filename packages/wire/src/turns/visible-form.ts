import { type Edit, elementsOf, type Span, textOf } from '@winnow/core';
import type { RequestView, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';

/** Adjacent elements of a history that form one turn of the model. */
export interface Run {
  /** The position of the first element. */
  readonly start: number;
  readonly items: readonly JsonObject[];
}

/** Returns the runs of elements that the model made. */
export function runsOf(history: readonly unknown[], isOfModel: (item: unknown) => boolean): Run[] {
  const runs: { start: number; items: JsonObject[] }[] = [];
  history.forEach((item, at) => {
    if (!isOfModel(item)) return;
    const last = runs.at(-1);
    if (last !== undefined && last.start + last.items.length === at) last.items.push(item as JsonObject);
    else runs.push({ start: at, items: [item as JsonObject] });
  });
  return runs;
}

/** Returns each run as a turn with the ids of its calls. */
export function visibleTurns(
  history: readonly unknown[],
  isOfModel: (item: unknown) => boolean,
  callIdsOf: (items: readonly JsonObject[]) => readonly string[],
): VisibleTurn[] {
  return runsOf(history, isOfModel).map(({ start, items }) => ({
    position: start,
    callIds: callIdsOf(items),
  }));
}

/** Returns the span of a run in the text of a request. */
export function spanOfRun({ spans }: RequestView, { start, items }: Run): Span {
  return { start: spans.history[start]!.start, end: spans.history[start + items.length - 1]!.end };
}

/** The elements of a turn with its hidden parts, as JSON. */
export interface TurnElements {
  /** The rounds before the visible part. Their calls are Winnow's own. */
  readonly before: readonly string[];
  /** The model's last message. */
  readonly spoken: readonly string[];
  /** The results of its searches. */
  readonly behind?: readonly string[];
}

/** An edit that puts a turn back. */
export interface TurnEdit extends Edit {
  readonly elements: TurnElements;
}

/** Returns the edit that replaces a span of a history with these elements. */
export function replaceTurn({ start, end }: Span, elements: TurnElements): TurnEdit {
  const { before, spoken, behind = [] } = elements;
  return { start, end, text: [...before, ...spoken, ...behind].join(','), elements };
}

/** Returns the texts of a list's elements. */
export function elementTexts(list: string): string[] {
  return elementsOf(list, 0).map((span) => textOf(list, span));
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the normal form of a turn's content: strings for texts, objects or lists for anything else.
 * Adjacent texts are one, without white space, which clients trim. Null members and the `uncounted` ones are
 * left out of objects. Empty when the turn has no content.
 */
export function writeForm(said: readonly (string | object)[], uncounted = NONE): string {
  const parts: string[] = [];
  let text = '';
  for (const part of said) {
    if (typeof part === 'string') {
      text += part.replaceAll(/\s+/g, '');
      continue;
    }
    if (text !== '') parts.push(JSON.stringify(text));
    text = '';
    parts.push(JSON.stringify(normalise(part, uncounted)));
  }
  if (text !== '') parts.push(JSON.stringify(text));
  return parts.join();
}

/** Returns a value with members sorted by name, because some clients sort them, and without null members. */
export function normalise(value: unknown, uncounted = NONE): unknown {
  if (Array.isArray(value)) return value.map((element) => normalise(element, uncounted));
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .filter(([key, member]) => member !== null && !uncounted.has(key))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, normalise(member, uncounted)]);
}

/** Returns the form without the lists that begin with this word; the texts around such a list become one. */
export function withoutParts(form: string, kind: string): string {
  const parts = JSON.parse(`[${form}]`) as (string | unknown[])[];
  const joined: unknown[] = [];
  for (const part of parts.filter((one) => !Array.isArray(one) || one[0] !== kind)) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.map((part) => JSON.stringify(part)).join();
}
