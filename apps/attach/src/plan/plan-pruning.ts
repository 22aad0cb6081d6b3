import type { Limits } from './limits.ts';

/** The tools of an agent, as pruning sees them. */
export interface PruningInput<Tool> {
  /** MCP tools, protected ones included. */
  readonly mcp: number;
  /** Tools of all kinds. */
  readonly total: number;
  /** MCP tools that may be detached, least relevant first. */
  readonly removable: readonly Tool[];
  readonly limits: Limits;
  /** 0 to 1. */
  readonly dropRate: number;
}

/** Corrects the rounding error of `1 - rate`, which may make a whole number slightly smaller. */
const ROUNDING = 1e-9;

/**
 * Returns the tools to prune: the least relevant ones, so that of n MCP tools max(min(⌊n · (1 − rate)⌋,
 * MAX_MCP, MAX_TOTAL − others), MIN) remain, or more if others may not be detached.
 */
export function planPruning<Tool>({
  mcp,
  total,
  removable,
  limits,
  dropRate,
}: PruningInput<Tool>): readonly Tool[] {
  const byRate = Math.floor(mcp * (1 - dropRate) + ROUNDING);
  const target = Math.max(Math.min(byRate, limits.mcp, limits.total - (total - mcp)), limits.leastMcp);
  return removable.slice(0, Math.max(0, mcp - target));
}
