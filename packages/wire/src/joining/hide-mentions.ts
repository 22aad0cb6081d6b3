import {
  changeMembers,
  type Edit,
  elementsOf,
  memberSpan,
  membersOf,
  removeMembers,
  type Span,
  splice,
  textOf,
  valueSpan,
} from '@winnow/core';
import type { Plan, RequestView, ToolSection } from '../format/view.ts';
import { memberOf, parseObject, withMembers } from '../json/json-members.ts';
import { isJsonObject, parseJson } from '../json/json-value.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { deferredOf } from '../tools/swap-tools.ts';

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

/**
 * Returns the restorer for responses to a request that was edited by this plan. Tools that the plan leaves
 * alone stay as the provider repeats them, because it may hide their credentials.
 */
export function echoRestorer(view: RequestView, plan: Plan, { own, kept }: EchoedMembers): RestoreEcho {
  const { toolSection, spans, text } = view;
  const hidden = hiddenNames(plan);
  const isEdited = plan.defer.length > 0 || !hidden.isEmpty;
  const written = own.map((key) => {
    const span = spans.members.get(key);
    return [key, span && text.slice(span.start, span.end)] as const;
  });
  const wanted = written.filter(([, value]) => value !== undefined);
  return (response) => {
    const echoed = wanted.filter(([key]) => memberOf(response, key) !== undefined);
    const echo = isEdited && toolSection ? memberOf(response, 'tools') : undefined;
    const tools = echo?.startsWith('[') ? echo : undefined;
    const restored = withMembers(response, {
      ...Object.fromEntries(echoed),
      ...(tools !== undefined && { tools: restoredTools(tools, toolSection!, { plan, hidden }) }),
    });
    if (!hidden.areIn(restored)) return restored;
    const mentioning = mentioningMembers(restored, valueSpan(restored), { hidden, kept });
    return withMembers(restored, Object.fromEntries(mentioning.map((key) => [key, undefined])));
  };
}

/**
 * Returns the client's tools in its order: those that the plan changes as the client wrote them, all others as
 * the provider repeats them.
 */
function restoredTools(
  echo: string,
  section: ToolSection,
  { plan, hidden }: { readonly plan: Plan; readonly hidden: HiddenNames },
): string {
  const deferred = deferredOf(section, plan.defer);
  const sent = elementsOf(section.text, 0).map((span) => ({
    text: textOf(section.text, span),
    isChanged: [...deferred].some((entry) => entry.span.start >= span.start && entry.span.end <= span.end),
  }));
  const changed = new Set(sent.filter(({ isChanged }) => isChanged).map(({ text }) => keyOf(text)));
  const searches = sent.some(({ text }) => keyOf(text) === SEARCH_KEY);
  const isOurs = (key: string, name: unknown) =>
    changed.has(key) || hidden.has(name) || (key === SEARCH_KEY && !searches);
  const repeated = elementsOf(echo, 0)
    .map((span) => textOf(echo, span))
    .filter((text) => !isOurs(keyOf(text), parseObject(text)?.name));
  const untouched = sent.filter(({ isChanged }) => !isChanged);
  // A provider may name a kind of tool in another way, but keeps the order.
  const isInOrder = repeated.length === untouched.length;
  const entries = sent.flatMap(({ text, isChanged }) => {
    if (isChanged) return [text];
    const at = isInOrder ? 0 : repeated.findIndex((other) => keyOf(other) === keyOf(text));
    return at === -1 ? [] : repeated.splice(at, 1);
  });
  return `[${entries.join(',')}]`;
}

/** Returns what tells a tool from others: its type, and its name or server. */
function keyOf(text: string): string {
  const { type, name, server_label: label } = parseObject(text) ?? {};
  return JSON.stringify([type, name ?? label]);
}

/** The tool that Winnow adds in native mode. */
const SEARCH_KEY = JSON.stringify(['tool_search', undefined]);

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
