import { hideMentionsAround, type SpokenMembers } from '../joining/hide-mentions.ts';
import { parseObject } from '../json/json-members.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** The members that hold content, by type of event; any other type is all content. */
const SPOKEN: ReadonlyMap<unknown, SpokenMembers> = new Map([
  ['message', { kept: ['content'] }],
  ['message_start', { kept: ['message'], within: ['message', ['content']] }],
  ['message_delta', { kept: ['delta'], within: ['delta', []] }],
]);

/**
 * Returns a whole response, or an event's data, without the members around its content that name a hidden
 * tool. These members echo the request.
 */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const spoken = SPOKEN.get(parseObject(text)?.type);
  return spoken === undefined ? text : hideMentionsAround(text, hidden, spoken);
}
