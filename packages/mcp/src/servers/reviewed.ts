import type { PendingDefinition } from '@winnow/registry';

/** Ids of pending definitions, with the digests that were looked at, if they are known; undefined for all that are pending. */
export type Reviewed = ReadonlyMap<string, string | undefined> | undefined;

/** Returns the pending definitions that were reviewed as they are now. */
export function reviewedAmong(
  pending: readonly PendingDefinition[],
  reviewed: Reviewed,
): PendingDefinition[] {
  return pending.filter(({ id, after }) => {
    const digest = reviewed?.get(id);
    return reviewed === undefined || (reviewed.has(id) && (digest === undefined || digest === after));
  });
}
