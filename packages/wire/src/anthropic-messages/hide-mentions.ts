import { hideMentionsAround, type SpokenMembers } from '../joining/hide-mentions.ts';
import { parseObject } from '../json/json-members.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** By type; anything else is content. */
const SPOKEN: ReadonlyMap<unknown, SpokenMembers> = new Map([
  ['message', { kept: ['content'] }],
  ['message_start', { kept: ['message'], within: ['message', ['content']] }],
  ['message_delta', { kept: ['delta'], within: ['delta', []] }],
]);

/** A whole response, or an event's data, without the members around its content that name a hidden tool: echoes of the request. */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const spoken = SPOKEN.get(parseObject(text)?.type);
  return spoken === undefined ? text : hideMentionsAround(text, hidden, spoken);
}
