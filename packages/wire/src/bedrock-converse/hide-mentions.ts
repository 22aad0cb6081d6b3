import { isJsonObject, removeMembers, splice, valueSpan } from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** Members of which a name in them is what the model says, or of which nothing but numbers are known. */
const KEPT = ['output', 'start', 'delta', 'usage', 'metrics', 'stopReason', 'contentBlockIndex', 'role'];

/** A whole response, or an event's data, without the members around its content that name a hidden tool: traces, and what a model answers beside. */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text) || !isJsonObject(parseJson(text))) return text;
  const root = valueSpan(text);
  return splice(text, removeMembers(text, root, mentioningMembers(text, root, { hidden, kept: KEPT })));
}
