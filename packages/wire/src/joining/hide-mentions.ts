import {
  changeMembers,
  type Edit,
  elementsOf,
  isJsonObject,
  memberSpan,
  removeMembers,
  splice,
  valueSpan,
} from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** The members of a response that hold the model's output and may name any tool. */
export interface SpokenMembers {
  /** Members of the outermost object. */
  readonly kept: readonly string[];
  /** The member among them that is an object, or a list of objects, and the members to keep in it. */
  readonly within?: readonly [member: string, kept: readonly string[]];
  /** The member of the inner object that becomes null; others are removed. */
  readonly emptied?: string;
}

/**
 * Returns a whole response, or an event's data, without the members around its content that name a hidden
 * tool: echoes of the request, traces, token probabilities. Kept members stay, whatever they contain.
 */
export function hideMentionsAround(
  text: string,
  hidden: HiddenNames,
  { kept, within: [member, keptWithin] = ['', []], emptied }: SpokenMembers,
): string {
  if (!hidden.areIn(text) || !isJsonObject(parseJson(text))) return text;
  const root = valueSpan(text);
  const edits: Edit[] = removeMembers(text, root, mentioningMembers(text, root, { hidden, kept }));
  const inner = memberSpan(text, root.start, member);
  const objects =
    inner === undefined ? [] : text[inner.start] === '[' ? elementsOf(text, inner.start) : [inner];
  for (const object of objects) {
    const keys = mentioningMembers(text, object, { hidden, kept: keptWithin });
    const changes = keys.map((key) => [key, key === emptied ? 'null' : undefined] as const);
    edits.push(...changeMembers(text, object, Object.fromEntries(changes)));
  }
  return splice(text, edits);
}
