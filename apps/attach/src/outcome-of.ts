import type { Attached } from './attach-service.ts';

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
