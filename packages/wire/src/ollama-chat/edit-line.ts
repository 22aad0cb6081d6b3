import { isEmpty, withChangesAt } from '../json/json-members.ts';
import {
  elementsOf,
  isJsonObject,
  type MemberChanges,
  memberSpan,
  setMember,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/**
 * Changes of a line of a stream, or of a whole response, which has the same shape. Everything that is not
 * named stays unchanged.
 */
export interface LineChanges {
  readonly root?: MemberChanges;
  readonly message?: MemberChanges;
}

/** Returns the text of a line with changes to its own members and to those of its message. */
export function editLine(text: string, { root = {}, message = {} }: LineChanges): string {
  if (isEmpty(root) && isEmpty(message)) return text;
  return withChangesAt(text, [
    [[], root],
    [['message'], message],
  ]);
}

/** Returns the JSON of each call in a line. */
export function callTexts(text: string): string[] {
  const message = memberSpan(text, valueStart(text), 'message');
  const calls = message && memberSpan(text, message.start, 'tool_calls');
  return calls === undefined ? [] : elementsOf(text, calls.start).map((call) => textOf(text, call));
}

/** Returns the JSON of a call with another index, if it has one. */
export function numberCall(text: string, index: number): string {
  const call = parseJson(text);
  const called = isJsonObject(call) ? call.function : undefined;
  if (!isJsonObject(called) || typeof called.index !== 'number' || called.index === index) return text;
  const span = memberSpan(text, 0, 'function')!;
  return splice(text, [setMember(text, span, 'index', String(index))]);
}

/**
 * Returns a line without the members around its message that name a hidden tool. The message and an error
 * stay.
 */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const root = valueSpan(text);
  const keys = mentioningMembers(text, root, { hidden, kept: ['message', 'error'] });
  return editLine(text, { root: Object.fromEntries(keys.map((key) => [key, undefined])) });
}
