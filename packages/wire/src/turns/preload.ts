import { type Edit, elementsOf, memberSpan, type Span, textOf } from '@winnow/core';
import type { Plan, Preload, RequestView } from '../format/view.ts';
import { isJsonObject } from '../json/json-value.ts';
import type { KeptResult } from './kept-result.ts';
import { hashText } from './turn-keys.ts';

/**
 * Returns the index of the last element before the model's first turn; undefined when the history begins with
 * a turn of the model, so that the conversation's first message is not in it.
 */
export function endOfOpening({ history, turns }: RequestView): number | undefined {
  const end = (turns[0]?.position ?? history.length) - 1;
  return end < 0 ? undefined : end;
}

/** Returns the index of the last user message before the model's first turn; undefined when there is none. */
export function firstMessage(view: RequestView): number | undefined {
  const end = endOfOpening(view);
  if (end === undefined) return undefined;
  const at = view.history.slice(0, end + 1).findLastIndex(isOfUser);
  return at < 0 ? undefined : at;
}

/** Whether an element is a message of the user. In Gemini, contents without a role are. */
function isOfUser(element: unknown): boolean {
  if (!isJsonObject(element)) return false;
  if (element.type === 'user_input') return true;
  return element.role === 'user' || (element.role === undefined && Array.isArray(element.parts));
}

/** Returns the tools that a plan preloads in a form; undefined when it preloads none in that form. */
export function preloadBy(plan: Plan, form: Preload['form']): Preload | undefined {
  return plan.loadMode !== 'swap' && plan.preload?.form === form ? plan.preload : undefined;
}

/** Returns the edit that inserts elements into the history, behind the element at an index. */
export function insertBehind({ spans }: RequestView, index: number, elements: readonly string[]): Edit {
  const { end } = spans.history[index]!;
  return { start: end, end, text: elements.map((element) => `,${element}`).join('') };
}

/** The content of a message, to which parts are appended. */
export interface ContentPlace {
  readonly content: Span;
  /** Whether the content is a text in place of a list. */
  readonly isText: boolean;
}

/** Returns the content of an element of the history; undefined when it is neither a list nor a text. */
export function contentOf(
  { text, spans }: RequestView,
  at: number,
  member = 'content',
): ContentPlace | undefined {
  const content = memberSpan(text, spans.history[at]!.start, member);
  if (content === undefined) return undefined;
  const first = text[content.start];
  return first === '"' || first === '[' ? { content, isText: first === '"' } : undefined;
}

/** Returns the edit that appends parts to a content. A text becomes a part, by `writeText`. */
export function appendParts(
  { text }: RequestView,
  { content, isText }: ContentPlace,
  parts: readonly string[],
  writeText: (text: string) => string,
): Edit {
  if (isText) return { ...content, text: `[${[writeText(textOf(text, content)), ...parts].join(',')}]` };
  const last = elementsOf(text, content.start).at(-1);
  const place = last?.end ?? content.start + 1;
  return { start: place, end: place, text: `${last === undefined ? '' : ','}${parts.join(',')}` };
}

/** A search for preloaded tools that the model seems to have made, and its result. */
export interface PreloadedSearch {
  readonly id: string;
  readonly queries: readonly string[];
  readonly result: KeptResult;
}

/** Returns the search that finds these tools. Equal names give an equal search. */
export function preloadedSearch(names: readonly string[], idPrefix: string): PreloadedSearch {
  const id = idPrefix + hashText(names.join('\n')).replaceAll(/[-_]/g, '').slice(0, 24);
  return { id, queries: names, result: { callId: id, kind: 'found', names } };
}
