import type { Plan, RequestView } from '../format/view.ts';
import { memberOf, withMembers } from '../json/json-members.ts';
import {
  changeMembers,
  type Edit,
  elementsOf,
  isJsonObject,
  memberSpan,
  membersOf,
  parseJson,
  removeMembers,
  type Span,
  splice,
  textOf,
  valueSpan,
} from '../json/json-splice.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';

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

/**
 * Restores the parts of a response that repeat its request to the client's own text, because an echo of the
 * edited request names hidden tools.
 */
export type RestoreEcho = (response: string) => string;

/** The members of a response that repeat its request, and those that do not. */
export interface EchoedMembers {
  /** Members, in addition to `tools`, that are restored to the client's text. */
  readonly own: readonly string[];
  /** Members that hold the model's output or an error. */
  readonly kept: readonly string[];
}

/** Returns the restorer for responses to a request that was edited by this plan. */
export function echoRestorer(
  { toolSection, spans, text }: RequestView,
  plan: Plan,
  { own, kept }: EchoedMembers,
): RestoreEcho {
  const hidden = hiddenNames(plan);
  const isEdited = plan.defer.length > 0 || !hidden.isEmpty;
  const written = own.map((key) => {
    const span = spans.members.get(key);
    return [key, span && text.slice(span.start, span.end)] as const;
  });
  const tools = isEdited ? toolSection?.text : undefined;
  const wanted = [['tools', tools] as const, ...written].filter(([, value]) => value !== undefined);
  return (response) => {
    const echoed = wanted.filter(([key]) => memberOf(response, key) !== undefined);
    const restored = withMembers(response, Object.fromEntries(echoed));
    if (!hidden.areIn(restored)) return restored;
    const mentioning = mentioningMembers(restored, valueSpan(restored), { hidden, kept });
    return withMembers(restored, Object.fromEntries(mentioning.map((key) => [key, undefined])));
  };
}

/**
 * Returns the keys of an object's members whose JSON contains a hidden tool's name, except for the keys in
 * `kept`.
 */
function mentioningMembers(
  text: string,
  { start }: Span,
  { hidden, kept }: { readonly hidden: HiddenNames; readonly kept: readonly string[] },
): string[] {
  return membersOf(text, start)
    .filter(({ key, value }) => !kept.includes(key) && hidden.areIn(textOf(text, value)))
    .map(({ key }) => key);
}
