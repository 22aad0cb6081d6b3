import {
  type Agent,
  classOf,
  hashOfTools,
  type KnownTool,
  type Limits,
  type Protection,
  protectionOf,
  type ToolClass,
} from './known-tool.ts';

/** The result of the first half of a plan. */
export interface Attached {
  /** New tools that the agent now has. */
  readonly attached: readonly Match[];
  /** Tools that were detached to make room for them. */
  readonly gone: readonly NamedTool[];
}

/** The second half of a plan. */
interface Settlement {
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

/** The tools of an agent, as pruning sees them. */
interface PruningInput<Tool> {
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

/** A tool that fits a query well enough. */
export interface Match {
  /** Undefined for a tool of an MCP server that Letta has not registered yet. */
  readonly id: string | undefined;
  readonly name: string;
  readonly toolClass: ToolClass;
  /** Whose tool it is, where it is not registered yet. */
  readonly server: string | undefined;
  /** 0 to 100. */
  readonly score: number;
}

/** A tool, as answers and logs name it. */
export type NamedTool = Pick<KnownTool, 'id' | 'name'>;

/** Information for the caller that is not a failure. */
export interface Warning {
  readonly code:
    | 'limits_not_met'
    | 'keep_tools_not_attached'
    | 'no_match'
    | 'weak_match'
    | 'lost_after_attach'
    | 'not_restored'
    | 'not_verified'
    | 'not_pruned'
    | 'stale_catalogue'
    | 'unread_servers'
    | 'loop_not_triggered';
  readonly message: string;
}

export interface PlanInput {
  readonly agent: Agent;
  /** Best first; each tool once. */
  readonly matches: readonly Match[];
  /** Returns the relevance of an attached tool; higher is better. */
  readonly relevanceOf: (id: string) => number;
  readonly keep: readonly string[];
  /** The tools of `never_detach_tools` and `protected_tools`. */
  readonly protectedNames: readonly string[];
  readonly limits: Limits;
  readonly autoPrune: boolean;
}

/** The planned changes to an agent's tools: plain data, made before anything is written. */
export interface AttachPlan {
  readonly agentId: string;
  /** The hash of the attached tools at the time of the plan. */
  readonly toolsHash: string;
  /** Best first. */
  readonly attach: readonly Match[];
  readonly alreadyAttached: readonly string[];
  /** Matches that a limit leaves no room for. */
  readonly cut: readonly Match[];
  /** Tools that make room for new ones, least relevant first. */
  readonly prune: readonly NamedTool[];
  /** The number of tools to prune before anything can be attached, by the limit for all tools. */
  readonly forced: number;
  /** Tools that did not match, least relevant first. */
  readonly detach: readonly NamedTool[];
  /** Tools to prune at the end; none if everything goes well. */
  readonly pruneAfter: readonly NamedTool[];
  /** Attached tools that a protection has kept, by its kind. */
  readonly kept: readonly { readonly id: string; readonly protection: Protection }[];
  readonly before: number;
  /** MCP tools before. */
  readonly mcpBefore: number;
  readonly after: number;
  readonly warnings: readonly Warning[];
}

/** Maximum share of detachable tools to detach for new ones. */
const PRUNED_SHARE = 0.9;

/**
 * Decides which tools are attached to and detached from an agent, within its limits, without detaching
 * protected ones.
 *
 * To make room for new tools, detaches at most nine tenths of the unprotected tools that did not match, and
 * keeps the minimum number of MCP tools, including new ones; if that is not enough, the last of the new ones
 * are cut. Other tools that did not match are detached afterwards, except the most relevant ones that the
 * minimum needs.
 */
export function planAttachment(input: PlanInput): AttachPlan {
  const { agent, matches, limits, keep } = input;
  const attached = new Map(agent.tools.map((tool) => [tool.id, tool]));
  const already = matches.filter(({ id }) => id !== undefined && attached.has(id));
  const fresh = matches.filter(({ id }) => id === undefined || !attached.has(id));
  const rules = { names: input.protectedNames, keep: new Set(keep), ruledNames: agent.ruledNames };
  const matchedIds = new Set(already.map(({ id }) => id));
  const protections = new Map(agent.tools.map((tool) => [tool.id, protectionOf(tool, rules)]));
  const removable = leastRelevantFirst(
    agent.tools.filter(({ id }) => protections.get(id) === undefined && !matchedIds.has(id)),
    input.relevanceOf,
  );
  const counts = { total: agent.tools.length, mcp: agent.tools.filter(isMcp).length };
  const { attach, cut, pruned } = makeRoom(fresh, removable.length, counts, limits);
  const newMcp = attach.filter(({ toolClass }) => toolClass === 'mcp').length;
  const prune = removable.slice(0, pruned);
  const left = removable.slice(pruned);
  const detach = left.slice(0, mayGo(left.length, counts.mcp - pruned + newMcp, limits));
  const gone = new Set([...prune, ...detach].map(({ id }) => id));
  const pruneAfter = input.autoPrune
    ? planPruning({
        mcp: counts.mcp - gone.size + newMcp,
        total: counts.total - gone.size + attach.length,
        removable: removable.filter(({ id }) => !gone.has(id)),
        limits,
        dropRate: limits.dropRate,
      })
    : [];
  const after = {
    total: counts.total - gone.size - pruneAfter.length + attach.length,
    mcp: counts.mcp - gone.size - pruneAfter.length + newMcp,
  };
  const stay = removable.length - gone.size - pruneAfter.length;
  return {
    agentId: agent.id,
    toolsHash: hashOfTools(agent.tools),
    attach,
    alreadyAttached: already.map(({ id }) => id!),
    cut,
    prune: prune.map(named),
    forced: Math.min(prune.length, Math.max(0, counts.total + attach.length - limits.total)),
    detach: detach.map(named),
    pruneAfter: pruneAfter.map(named),
    kept: agent.tools.flatMap((tool) => keptBy(tool, protections.get(tool.id), matchedIds)),
    before: counts.total,
    mcpBefore: counts.mcp,
    after: after.total,
    warnings: [...limitWarnings(after, stay, limits), ...keepWarnings(keep, attached)],
  };
}

/** Returns how many removable tools may be detached without leaving too few MCP tools. */
function mayGo(removable: number, mcp: number, { leastMcp }: Limits): number {
  return Math.max(0, Math.min(removable, mcp - leastMcp));
}

/** The least relevant first; of equals the last by name, as Letta lists an agent's tools in no order. */
export function leastRelevantFirst<Tool extends NamedTool>(
  tools: readonly Tool[],
  relevanceOf: (id: string) => number,
): Tool[] {
  return tools
    .map((tool) => ({ tool, order: `${tool.name}\n${tool.id}`, relevance: relevanceOf(tool.id) }))
    .sort((left, right) => left.relevance - right.relevance || (left.order < right.order ? 1 : -1))
    .map(({ tool }) => tool);
}

export function isMcp(tool: Pick<KnownTool, 'toolType' | 'tags'>): boolean {
  return classOf(tool) === 'mcp';
}

interface Counts {
  readonly total: number;
  readonly mcp: number;
}

/** The most new tools, best first, that there can be room for, and how many others have to go for it. */
function makeRoom(
  fresh: readonly Match[],
  removable: number,
  counts: Counts,
  limits: Limits,
): { attach: readonly Match[]; cut: readonly Match[]; pruned: number } {
  const attach = [...fresh];
  const cut: Match[] = [];
  for (;;) {
    const newMcp = attach.filter(({ toolClass }) => toolClass === 'mcp').length;
    const totalExcess = counts.total + attach.length - limits.total;
    const mcpExcess = counts.mcp + newMcp - limits.mcp;
    const most = Math.min(
      Math.floor(PRUNED_SHARE * removable),
      mayGo(removable, counts.mcp + newMcp, limits),
    );
    const needed = Math.max(0, totalExcess, mcpExcess);
    if (needed <= most || attach.length === 0) return { attach, cut, pruned: Math.min(needed, most) };
    // Detaching other tools does not help if there are too many MCP tools.
    const last =
      totalExcess > most ? attach.length - 1 : attach.findLastIndex(({ toolClass }) => toolClass === 'mcp');
    // Without a new one there are too many MCP tools anyway.
    if (last < 0) return { attach, cut, pruned: most };
    cut.unshift(...attach.splice(last, 1));
  }
}

function limitWarnings(after: Counts, stay: number, limits: Limits): Warning[] {
  const warn = (count: number, name: string, most: number): Warning[] => {
    if (count <= most) return [];
    const fixed = count - stay;
    const what =
      fixed > most
        ? `${fixed} protected tools exceed`
        : `${fixed} protected tools and the least number of ${limits.leastMcp} MCP tools exceed`;
    return [{ code: 'limits_not_met', message: `${what} ${name}=${most}` }];
  };
  return [
    ...warn(after.total, 'max_total_tools', limits.total),
    ...warn(after.mcp, 'max_mcp_tools', limits.mcp),
  ];
}

function keepWarnings(keep: readonly string[], attached: ReadonlyMap<string, KnownTool>): Warning[] {
  const unknown = new Set(keep.filter((id) => !attached.has(id)));
  if (unknown.size === 0) return [];
  const message = `${unknown.size} of keep_tools are not attached; keep_tools does not attach them`;
  return [{ code: 'keep_tools_not_attached', message }];
}

/** A protection has kept an MCP tool that did not match and would have been detached. */
function keptBy(
  tool: KnownTool,
  protection: Protection | undefined,
  matchedIds: ReadonlySet<string | undefined>,
): AttachPlan['kept'] {
  if (protection === undefined || !isMcp(tool) || matchedIds.has(tool.id)) return [];
  return [{ id: tool.id, protection }];
}

function named({ id, name }: NamedTool): NamedTool {
  return { id, name };
}
