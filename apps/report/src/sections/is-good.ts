import type { StoredRecord } from '@winnow/core';

/** Whether the client got a whole response with a 2xx status. Only such an exchange saves anything: a failed one is sent again. */
export function isGood({ outcome, status }: StoredRecord): boolean {
  return outcome === 'answered' && status !== undefined && status >= 200 && status <= 299;
}
