import { type Agent, hashOfTools } from './plan/known-tool.ts';
import { type AttachPlan, isMcp, type Match, type Warning } from './plan/plan-attachment.ts';

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
