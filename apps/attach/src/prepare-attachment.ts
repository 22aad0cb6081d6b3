import type { AttachRequest, PruneRequest } from '@winnow/core';
import type { Pause } from '@winnow/ranking';
import type { CatalogueKeeper } from './catalogue/catalogue-keeper.ts';
import type { ScoredTool } from './catalogue/tool-catalogue.ts';
import type { Letta } from './letta/letta-client.ts';
import { type Agent, hashOfTools, type Limits, protectionOf } from './plan/known-tool.ts';
import {
  type AttachPlan,
  isMcp,
  leastRelevantFirst,
  type Match,
  planAttachment,
  planPruning,
  type Warning,
} from './plan/plan-attachment.ts';

/** A plan with the data to execute and report it. Plain data: a dry run stores it. */
export interface PlannedAttachment {
  readonly plan: AttachPlan;
  readonly keep: readonly string[];
  readonly autoPrune: boolean;
  readonly minScore: number;
  /** The number of tools that were considered. */
  readonly processed: number;
  readonly passed: number;
  /** The nearest tools if none clearly fits: named, but not attached. */
  readonly weakMatches?: readonly Match[];
  /** The relevance of attached tools by id; higher is better. */
  readonly relevance: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
}

/** Returns a plan that changes nothing. */
export function planNothing(
  { id, tools }: Pick<Agent, 'id' | 'tools'>,
  keep: readonly string[],
): PlannedAttachment {
  const plan: AttachPlan = {
    agentId: id,
    toolsHash: hashOfTools(tools),
    attach: [],
    alreadyAttached: [],
    cut: [],
    prune: [],
    forced: 0,
    detach: [],
    pruneAfter: [],
    kept: [],
    before: tools.length,
    mcpBefore: tools.filter(isMcp).length,
    after: tools.length,
    warnings: [],
  };
  const found = { minScore: 0, processed: 0, passed: 0, relevance: {} };
  return { plan, keep, autoPrune: false, ...found, warnings: [] };
}

/** The settings that decide about tools. */
export interface AttachRules {
  readonly limits: Limits;
  /** The tools of `never_detach_tools` and `protected_tools`. */
  readonly protectedNames: readonly string[];
  /** Whether Letta's own tools are neither found nor attached. */
  readonly excludesCore: boolean;
}

/** Context for preparing a plan. */
export interface PrepareContext {
  readonly letta: Letta;
  readonly keeper: CatalogueKeeper;
  readonly rules: AttachRules;
  readonly pause: Pause;
}

/** The requested change of an agent's tools. */
export type AttachWish = Pick<AttachRequest, 'query' | 'min_score' | 'keep_tools' | 'auto_prune'> & {
  readonly limit: number;
};

/** An agent and the plan for its tools. */
export interface Prepared {
  readonly agent: Agent;
  readonly planned: PlannedAttachment;
  /** The scores of the tools found, best first. */
  readonly scores: readonly number[];
}

/** Reads an agent and the catalogue. Writes nothing. Rejects with a `LettaFailure`. */
export async function readForAttachment(
  agentId: string,
  { letta, keeper }: PrepareContext,
  signal: AbortSignal,
): Promise<{ agent: Agent; warnings: readonly Warning[] }> {
  const [agent, warnings] = await Promise.all([letta.readAgent(agentId, signal), keeper.ready()]);
  keeper.meet(agent.tools);
  return { agent, warnings };
}

/** Searches, scores and plans. Writes nothing. */
export async function prepareAttachment(
  wish: AttachWish,
  { agent, warnings: known }: { readonly agent: Agent; readonly warnings: readonly Warning[] },
  { keeper, rules, pause }: PrepareContext,
): Promise<Prepared> {
  const alsoKeys = agent.tools.map(({ id }) => id);
  const { found, certainty, unknownWords, relevance } = await keeper.catalogue.search(
    wish.query,
    { limit: wish.limit, alsoKeys, excludesCore: rules.excludesCore },
    pause,
  );
  const isSure = certainty === 'found';
  const passed = isSure ? found.filter(({ score }) => score >= wish.min_score) : [];
  const plan = planAttachment({
    agent,
    matches: onePerName(passed).map(toMatch),
    relevanceOf: (id) => relevance.get(id) ?? 0,
    keep: wish.keep_tools,
    autoPrune: wish.auto_prune,
    ...rules,
  });
  const planned: PlannedAttachment = {
    // A query that no tool fits does not say which tools the agent can spare.
    plan: isSure ? plan : { ...plan, prune: [], forced: 0, detach: [], pruneAfter: [], after: plan.before },
    keep: wish.keep_tools,
    autoPrune: wish.auto_prune && isSure,
    minScore: wish.min_score,
    processed: found.length,
    passed: passed.length,
    relevance: Object.fromEntries(
      agent.tools.flatMap(({ id }) => (relevance.has(id) ? [[id, relevance.get(id)!]] : [])),
    ),
    warnings: [...known, ...(isSure ? [] : [warnOf(certainty, unknownWords)]), ...plan.warnings],
    ...(certainty === 'weak' && { weakMatches: found.map(toMatch) }),
  };
  return { agent, planned, scores: found.map(({ score }) => score) };
}

/**
 * Letta knows a name once: of tools that are not registered and have one name, the best would be replaced by the others, for every agent.
 */
function onePerName(scored: readonly ScoredTool[]): readonly ScoredTool[] {
  const names = new Set<string>();
  return scored.filter(({ tool: { id, name } }) => {
    const isFirst = !names.has(name);
    names.add(name);
    return id !== undefined || isFirst;
  });
}

function warnOf(certainty: 'weak' | 'none', unknownWords: readonly string[]): Warning {
  const unknown =
    unknownWords.length === 0 ? '' : ` Words that no tool contains: ${unknownWords.join(', ')}.`;
  return certainty === 'none'
    ? { code: 'no_match', message: 'No tool has any word of the query; nothing was changed.' }
    : { code: 'weak_match', message: `No tool clearly fits the query; nothing was changed.${unknown}` };
}

function toMatch({ tool, score }: ScoredTool): Match {
  const { id, name, toolClass, server } = tool;
  return { id, name, toolClass, server, score };
}

/** Plans the changes of `POST /api/v1/tools/prune`. Writes nothing. */
export async function preparePruning(
  request: PruneRequest,
  { agent, warnings }: { readonly agent: Agent; readonly warnings: readonly Warning[] },
  { keeper, rules, pause }: PrepareContext,
): Promise<PlannedAttachment> {
  const keep = request.keep_tool_ids;
  const { relevance } = await keeper.catalogue.search(
    request.user_prompt,
    { limit: 1, alsoKeys: agent.tools.map(({ id }) => id), excludesCore: rules.excludesCore },
    pause,
  );
  const protecting = { names: rules.protectedNames, keep: new Set(keep), ruledNames: agent.ruledNames };
  const matched = new Set(request.newly_matched_tool_ids);
  const protections = agent.tools.map((tool) => ({ tool, protection: protectionOf(tool, protecting) }));
  const removable = protections.flatMap(({ tool, protection }) =>
    protection === undefined && !matched.has(tool.id) ? [tool] : [],
  );
  const pruned = planPruning({
    mcp: agent.tools.filter(isMcp).length,
    total: agent.tools.length,
    removable: leastRelevantFirst(removable, (id) => relevance.get(id) ?? 0),
    limits: rules.limits,
    dropRate: request.drop_rate,
  });
  const nothing = planNothing(agent, keep);
  return {
    ...nothing,
    plan: {
      ...nothing.plan,
      alreadyAttached: agent.tools.flatMap(({ id }) => (matched.has(id) ? [id] : [])),
      prune: pruned.map(({ id, name }) => ({ id, name })),
      kept: protections.flatMap(({ tool, protection }) =>
        protection !== undefined && isMcp(tool) && !matched.has(tool.id) ? [{ id: tool.id, protection }] : [],
      ),
      after: agent.tools.length - pruned.length,
    },
    warnings,
  };
}
