import type { PlanReason } from '@winnow/core';
import { rememberBy, type ToolEntry, type ToolSection } from '@winnow/wire';
import { matcherOf } from '../config/name-pattern.ts';
import type { ExchangeFact, PlanLook, TimedFact } from '../records/exchange-fact.ts';
import { isBasicTool } from '../strategies/basic-tools.ts';
import { isInteractionTool } from '../strategies/interaction-tools.ts';

/** Reason why the model saw a tool or did not. */
export type FateReason =
  /** Nothing was deferred; the record's `planReason` gives the reason. */
  | 'nothing_deferred'
  /** The tool is not a plain client function. */
  | 'not_a_function'
  /** The tool has a breakpoint of the prompt cache. */
  | 'cache_marked'
  /** The tool talks to the user or steers the agent. */
  | 'interaction'
  /** An agent cannot work without the tool. */
  | 'basic'
  | 'always_keep'
  /** `tool_choice` names it. */
  | 'chosen'
  /** The tool fits the conversation's first message. */
  | 'preloaded'
  /** The system prompt names it. */
  | 'named'
  /** The tool is available by search. */
  | 'searchable'
  /** An earlier exchange of the conversation found it. */
  | 'loaded_before'
  /** A search of this exchange found it. */
  | 'found'
  /** All tools were shown, because a search failed or the model had used up its searches. */
  | 'restored';

/** The fate of one tool of a request. */
export interface ToolFate {
  readonly name: string;
  readonly fate: 'kept' | 'deferred' | 'loaded';
  readonly why: FateReason;
}

/** Maximum number of tools listed. */
const MOST_TOOLS = 5_000;

/** The tools of an exchange as they are held: most exchanges share their list with the one before. */
export interface HeldFates {
  /** The fate of each tool before any is loaded, in the client's order. */
  readonly unloaded: readonly ToolFate[];
  /** Names of the deferred tools that were visible at the end. */
  readonly visible: readonly string[];
  /** Names of those that searches found, and of those that were visible from the start, some of them preloaded. */
  readonly found: readonly string[];
  readonly before: readonly string[];
  readonly preloaded: readonly string[];
}

/** Returns the fate of each tool, in the client's order. */
export function listFates({ unloaded, visible, found, before, preloaded }: HeldFates): readonly ToolFate[] {
  const isVisible = new Set(visible);
  const state = { found: new Set(found), before: new Set(before), preloaded: new Set(preloaded) };
  return unloaded.map((tool) =>
    tool.fate === 'deferred' && isVisible.has(tool.name)
      ? { name: tool.name, fate: 'loaded', why: loadReason(tool.name, state) }
      : tool,
  );
}

/** Returns the fates of an exchange's tools; undefined if no plan was made. */
export function toolFates(facts: readonly TimedFact[]): HeldFates | undefined {
  const planned = factsOf(facts, 'planned')[0];
  const look = planned?.look;
  if (look?.section === undefined) return undefined;
  const { reason } = planned!;
  const alwaysKeep = Object.keys(planned!.alwaysKeep ?? {});
  const unloaded = unloadedFates(look.section, look.plan.defer, look.chosen, reason, alwaysKeep);
  return {
    unloaded,
    visible: factsOf(facts, 'loaded').at(-1)?.names ?? look.plan.load,
    found: factsOf(facts, 'searched').flatMap(({ searches }) => searches.flatMap(({ names }) => names)),
    before: look.plan.load,
    preloaded: look.preloaded,
  };
}

/** Returns the fate of each tool before any is loaded; the same for most exchanges with the same list. */
const unloadedFates = rememberBy(
  (
    { entries }: ToolSection,
    defer: readonly string[],
    chosen: readonly string[],
    reason: PlanReason,
    alwaysKeep: readonly string[],
  ): readonly ToolFate[] => {
    const deferred = new Set(defer);
    const keeps = keepReasons({ defer, chosen }, reason, alwaysKeep);
    return entries.slice(0, MOST_TOOLS).map((entry): ToolFate => {
      const name = entry.name ?? '(no name)';
      return entry.name === undefined || !deferred.has(entry.name)
        ? { name, fate: 'kept', why: keeps(entry) }
        : { name, fate: 'deferred', why: 'searchable' };
    });
  },
);

function loadReason(
  name: string,
  { found, before, preloaded }: Readonly<Record<'found' | 'before' | 'preloaded', ReadonlySet<string>>>,
): FateReason {
  if (before.has(name) && preloaded.has(name)) return 'preloaded';
  if (before.has(name)) return 'loaded_before';
  return found.has(name) ? 'found' : 'restored';
}

/** Returns the first rule that keeps a tool; the rules are tried in the planner's order. */
function keepReasons(
  { defer, chosen }: Pick<PlanLook['plan'], 'defer'> & Pick<PlanLook, 'chosen'>,
  reason: PlanReason,
  alwaysKeep: readonly string[],
): (entry: ToolEntry) => FateReason {
  if (reason !== 'deferred' || defer.length === 0) return () => 'nothing_deferred';
  const isAlwaysKept = matcherOf(alwaysKeep);
  const isChosen = new Set(chosen);
  return (entry) => {
    const { name, kind, isCacheMarked } = entry;
    if (name === undefined || kind !== 'function') return 'not_a_function';
    if (isCacheMarked) return 'cache_marked';
    if (isInteractionTool(name)) return 'interaction';
    if (isBasicTool(entry)) return 'basic';
    if (isAlwaysKept(name)) return 'always_keep';
    return isChosen.has(name) ? 'chosen' : 'named';
  };
}

/** Returns all facts of one kind, in order. */
export function factsOf<Kind extends ExchangeFact['kind']>(
  facts: readonly TimedFact[],
  kind: Kind,
): Extract<ExchangeFact, { kind: Kind }>[] {
  return facts.map(({ fact }) => fact).filter((fact) => fact.kind === kind) as Extract<
    ExchangeFact,
    { kind: Kind }
  >[];
}
