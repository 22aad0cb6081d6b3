import type { StoredRecord } from '@winnow/core';

/**
 * Whether the record has information on the request's tools: arm `off`, dropped observations and early failures
 * do not.
 */
export function isRead({ arm, planReason }: StoredRecord): boolean {
  return arm !== 'off' && planReason !== 'not_read';
}
