import { createHash } from 'node:crypto';
import type { LogFields, SpanAttributes } from '@winnow/service';
import type { Attached } from './attach-service.ts';
import type { Metrics } from './metrics.ts';

/** The outcomes of a request, in one word each. */
export const OUTCOMES = ['changed', 'unchanged', 'partial', 'failed', 'rolled_back', 'dry_run'] as const;

export function outcomeOf({ response, report }: Attached): (typeof OUTCOMES)[number] {
  const { details, success } = response;
  if (details.dry_run) return 'dry_run';
  if (report.outcome?.isRolledBack) return 'rolled_back';
  if (!success) return 'failed';
  if (details.failure_count > 0 || details.failed_detachments.length > 0) return 'partial';
  return details.success_count + details.detached_tools.length > 0 ? 'changed' : 'unchanged';
}

/** Counts the outcome of a request, and returns the fields of its log line. */
export type AttachLog = (attached: Attached, query: string) => LogFields;

/** Logs counts, and only hashes of the agent and the query. */
export function createAttachLog(metrics: Metrics): AttachLog {
  return (attached, query) => {
    const { success, details } = attached.response;
    const { planned, scores, durationsMs } = attached.report;
    metrics.countAttachment(attached);
    return {
      agent: shortHash(details.target_agent),
      outcome: outcomeOf(attached),
      success,
      dryRun: details.dry_run,
      queryChars: query.length,
      queryHash: shortHash(query),
      processed: details.processed_count,
      passed: details.passed_filter_count,
      attached: details.success_count,
      failed: details.failure_count,
      detached: details.detached_tools.length,
      failedDetachments: details.failed_detachments.length,
      before: details.limits.before,
      after: details.limits.after,
      ...(scores.length > 0 && { bestScore: scores[0]!, leastScore: Math.min(...scores) }),
      ...(details.warnings.length > 0 && {
        warnings: [...new Set(details.warnings.map(({ code }) => code))],
      }),
      ...(planned && { kept: planned.plan.kept.length }),
      readMs: Math.round(durationsMs.read),
      searchMs: Math.round(durationsMs.search),
      changeMs: Math.round(durationsMs.change),
    };
  };
}

/** Returns the span attributes of a request: counts, no ids. */
export function spanAttributesOf(attached: Attached): SpanAttributes {
  const { details } = attached.response;
  return {
    'winnow.attach.outcome': outcomeOf(attached),
    'winnow.attach.attached': details.success_count,
    'winnow.attach.failed': details.failure_count,
    'winnow.attach.detached': details.detached_tools.length,
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
