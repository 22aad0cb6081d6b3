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

/** Changes of a line of a stream, or of a whole response, which has the same shape. Everything that is not named stays as it was. */
export interface LineChanges {
  readonly root?: MemberChanges;
  readonly message?: MemberChanges;
}

/** The text of a line with members of it and of its message changed. */
export function editLine(text: string, { root = {}, message = {} }: LineChanges): string {
  if (isEmpty(root) && isEmpty(message)) return text;
  return withChangesAt(text, [
    [[], root],
    [['message'], message],
  ]);
}

/** The JSON of each call in a line. */
export function callTexts(text: string): string[] {
  const message = memberSpan(text, valueStart(text), 'message');
  const calls = message && memberSpan(text, message.start, 'tool_calls');
  return calls === undefined ? [] : elementsOf(text, calls.start).map((call) => textOf(text, call));
}

/** The JSON of a call with another number, where it has one. */
export function numberCall(text: string, index: number): string {
  const call = parseJson(text);
  const called = isJsonObject(call) ? call.function : undefined;
  if (!isJsonObject(called) || typeof called.index !== 'number' || called.index === index) return text;
  const span = memberSpan(text, 0, 'function')!;
  return splice(text, [setMember(text, span, 'index', String(index))]);
}

/** A line without what names a hidden tool around its message. What the model says, and an error, stay. */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const root = valueSpan(text);
  const keys = mentioningMembers(text, root, { hidden, kept: ['message', 'error'] });
  return editLine(text, { root: Object.fromEntries(keys.map((key) => [key, undefined])) });
}
