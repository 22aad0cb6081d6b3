import type { PruneRequest } from '@winnow/core';
import type { Agent } from './plan/known-tool.ts';
import { isMcp, leastRelevantFirst, type Warning } from './plan/plan-attachment.ts';
import { planPruning } from './plan/plan-pruning.ts';
import { protectionOf } from './plan/protection.ts';
import { type PlannedAttachment, planNothing } from './planned-attachment.ts';
import type { PrepareContext } from './prepare-attachment.ts';

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
