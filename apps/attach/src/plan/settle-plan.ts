import type { Limits } from './limits.ts';
import { type AttachPlan, type Match, mayGo, type NamedTool } from './plan-attachment.ts';

/** The result of the first half of a plan. */
export interface Attached {
  /** New tools that the agent now has. */
  readonly attached: readonly Match[];
  /** Tools that were detached to make room for them. */
  readonly gone: readonly NamedTool[];
}

/** The second half of a plan. */
export interface Settlement {
  /** Tools to attach again, most relevant first. */
  readonly restore: readonly NamedTool[];
  /** The remaining tools to detach for room. */
  readonly prune: readonly NamedTool[];
  readonly detach: readonly NamedTool[];
  /** Whether the agent gets back its tools because none could be attached. */
  readonly isRolledBack: boolean;
}

/**
 * The second half of a plan, decided by the tools that were actually attached: nothing is detached if nothing
 * could be attached, and the minimum number of MCP tools stays even if fewer were attached than expected.
 */
export function settlePlan(plan: AttachPlan, { attached, gone }: Attached, limits: Limits): Settlement {
  if (plan.attach.length > 0 && attached.length === 0)
    return { restore: gone.toReversed(), prune: [], detach: [], isRolledBack: true };
  const newMcp = attached.filter(({ toolClass }) => toolClass === 'mcp').length;
  const mcp = plan.mcpBefore - gone.length + newMcp;
  const goneIds = new Set(gone.map(({ id }) => id));
  const prune = plan.prune.filter(({ id }) => !goneIds.has(id));
  const going = mayGo(prune.length + plan.detach.length, mcp, limits);
  const missing = Math.max(0, Math.min(limits.leastMcp, plan.mcpBefore) - mcp);
  return {
    restore: missing === 0 ? [] : gone.slice(-missing).toReversed(),
    prune: prune.slice(0, going),
    detach: plan.detach.slice(0, Math.max(0, going - prune.length)),
    isRolledBack: false,
  };
}
