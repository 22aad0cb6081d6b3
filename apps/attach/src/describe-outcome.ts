import type { AttachResponse } from '@winnow/core';
import type { AttachOutcome } from './carry-out.ts';
import { keyOf } from './catalogue/tool-catalogue.ts';
import type { Agent, Limits } from './plan/known-tool.ts';
import type { Match } from './plan/plan-attachment.ts';
import { type PlannedAttachment, planNothing } from './prepare-attachment.ts';

/** The parts of a response that the outcome does not hold. */
interface Description {
  readonly limits: Limits;
  readonly isDryRun: boolean;
  readonly planId?: string | undefined;
  readonly isLoopTriggered: boolean;
}

/** Returns the response to a request that attaches. The wording of its message belongs to the contract: callers match on it. */
export function describeOutcome(
  { plan, keep, minScore, processed, passed, weakMatches }: PlannedAttachment,
  outcome: AttachOutcome,
  { limits, isDryRun, planId, isLoopTriggered }: Description,
): AttachResponse {
  const failed = [
    ...inOrderOf(plan.attach, outcome.failed),
    ...plan.cut.map(({ id, name }) => ({ id, name, error: 'limit' })),
  ];
  const wanted = plan.attach.length + plan.cut.length;
  const count = outcome.attached.length;
  const score = minScore.toFixed(1);
  const given = new Set(keep);
  return {
    success: !outcome.isRolledBack && (wanted === 0 || count > 0),
    message: `Successfully processed ${processed} candidates (${passed} passed min_score=${score}%), attached ${count} tool(s) to agent ${plan.agentId}`,
    details: {
      detached_tools: [...outcome.prunedBefore, ...outcome.detached, ...outcome.prunedAfter],
      failed_detachments: [...outcome.failedDetachments],
      processed_count: processed,
      passed_filter_count: passed,
      success_count: count,
      failure_count: failed.length,
      successful_attachments: outcome.attached.map((tool) => ({
        success: true,
        tool_id: tool.id,
        name: tool.name,
        match_score: tool.score,
      })),
      failed_attachments: failed.map(({ id, name, error }) => ({
        success: false,
        ...(id !== undefined && { tool_id: id }),
        name,
        error,
      })),
      preserved_tools: [...keep, ...plan.kept.map(({ id }) => id).filter((id) => !given.has(id))],
      target_agent: plan.agentId,
      already_attached: [...plan.alreadyAttached],
      pruned_before: [...outcome.prunedBefore],
      pruned_after: [...outcome.prunedAfter],
      warnings: outcome.warnings.map((warning) => ({ ...warning })),
      ...(weakMatches && {
        weak_matches: weakMatches.map(({ id, name, score }) => ({
          ...(id !== undefined && { tool_id: id }),
          name,
          match_score: score,
        })),
      }),
      limits: { total: limits.total, mcp: limits.mcp, before: plan.before, after: outcome.after },
      dry_run: isDryRun,
      ...(planId !== undefined && { plan_id: planId }),
      loop_triggered: isLoopTriggered,
    },
  };
}

/**
 * Returns the outcome of a plan when nothing fails. The id of an unregistered tool combines its server and
 * name.
 */
export function expectedOutcome({ plan, warnings }: PlannedAttachment): AttachOutcome {
  return {
    attached: plan.attach.map(({ id, server, name, score }) => ({
      id: id ?? keyOf({ server: String(server), name }),
      name,
      score,
    })),
    failed: [],
    prunedBefore: plan.prune.map(({ id }) => id),
    detached: plan.detach.map(({ id }) => id),
    prunedAfter: plan.pruneAfter.map(({ id }) => id),
    failedDetachments: [],
    isRolledBack: false,
    after: plan.after,
    warnings,
  };
}

/** Returns the response to a request without a query. */
export function describeNothing(
  agent: Pick<Agent, 'id' | 'tools'>,
  keep: readonly string[],
  { limits, isDryRun }: Pick<Description, 'limits' | 'isDryRun'>,
): AttachResponse {
  const nothing = planNothing(agent, keep);
  const description = { limits, isDryRun, isLoopTriggered: false };
  const response = describeOutcome(nothing, expectedOutcome(nothing), description);
  return { ...response, message: `No tools to attach to agent ${agent.id}` };
}

/** Orders failures as the tools were ranked. */
function inOrderOf<Failed extends { readonly name: string; readonly id: string | undefined }>(
  matches: readonly Match[],
  failed: readonly Failed[],
): Failed[] {
  const places = new Map(matches.map(({ id, name, server }, place) => [id ?? `${server}/${name}`, place]));
  const placeOf = ({ id, name }: Failed) =>
    places.get(id ?? '') ?? matches.findIndex((match) => match.name === name);
  return failed.toSorted((left, right) => placeOf(left) - placeOf(right));
}
