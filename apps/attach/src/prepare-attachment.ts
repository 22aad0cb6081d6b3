import type { AttachRequest } from '@winnow/contract';
import type { Pause } from '@winnow/ranking';
import type { CatalogueKeeper } from './catalogue/catalogue-keeper.ts';
import type { ScoredTool } from './catalogue/tool-catalogue.ts';
import type { Letta } from './letta/letta-client.ts';
import type { Agent } from './plan/known-tool.ts';
import type { Limits } from './plan/limits.ts';
import { type Match, planAttachment, type Warning } from './plan/plan-attachment.ts';
import type { PlannedAttachment } from './planned-attachment.ts';

/** What is decided with, beside the request. */
export interface AttachRules {
  readonly limits: Limits;
  /** Of `NEVER_DETACH_TOOLS` and `PROTECTED_TOOLS`. */
  readonly protectedNames: readonly string[];
  /** Whether Letta's own tools are neither found nor attached. */
  readonly excludesCore: boolean;
}

/** What preparing takes. */
export interface PrepareContext {
  readonly letta: Letta;
  readonly keeper: CatalogueKeeper;
  readonly rules: AttachRules;
  readonly pause: Pause;
}

/** What is wanted of an agent's tools. */
export type AttachWish = Pick<AttachRequest, 'query' | 'min_score' | 'keep_tools' | 'auto_prune'> & {
  readonly limit: number;
};

/** An agent, and what is to be done with its tools. */
export interface Prepared {
  readonly agent: Agent;
  readonly planned: PlannedAttachment;
  /** Of what was found, best first. */
  readonly scores: readonly number[];
}

/** Reads an agent, and what there is to be found. Writes nothing. Rejects with a `LettaFailure`. */
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
  { agent, warnings }: { readonly agent: Agent; readonly warnings: readonly Warning[] },
  { keeper, rules, pause }: PrepareContext,
): Promise<Prepared> {
  const { found, relevance } = await keeper.catalogue.search(
    wish.query,
    { limit: wish.limit, alsoKeys: agent.tools.map(({ id }) => id), excludesCore: rules.excludesCore },
    pause,
  );
  const passed = found.filter(({ score }) => score >= wish.min_score);
  const plan = planAttachment({
    agent,
    matches: passed.map(toMatch),
    relevanceOf: (id) => relevance.get(id) ?? 0,
    keep: wish.keep_tools,
    autoPrune: wish.auto_prune,
    ...rules,
  });
  const planned: PlannedAttachment = {
    // A query of which no tool has a word says nothing of what an agent can do without.
    plan:
      found.length === 0
        ? { ...plan, prune: [], forced: 0, detach: [], pruneAfter: [], after: plan.before }
        : plan,
    keep: wish.keep_tools,
    autoPrune: wish.auto_prune && found.length > 0,
    minScore: wish.min_score,
    processed: found.length,
    passed: passed.length,
    relevance: Object.fromEntries(
      agent.tools.flatMap(({ id }) => (relevance.has(id) ? [[id, relevance.get(id)!]] : [])),
    ),
    warnings: [...warnings, ...(found.length === 0 ? [NO_MATCH] : []), ...plan.warnings],
  };
  return { agent, planned, scores: found.map(({ score }) => score) };
}

const NO_MATCH: Warning = {
  code: 'no_match',
  message: 'No tool has any word of the query; nothing was changed.',
};

function toMatch({ tool, score }: ScoredTool): Match {
  const { id, name, toolClass, server } = tool;
  return { id, name, toolClass, server, score };
}
