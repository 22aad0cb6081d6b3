import type { StoreProblem } from './store-error.ts';
import type { StorePart } from './store-health.ts';

/** What a log line tells of a store in another process. */
export type StoreEvent =
  | { readonly event: 'session_store_down'; readonly part: StorePart; readonly problem: StoreProblem }
  | { readonly event: 'session_store_up' };

/** A log line that tells where the store is and what has happened to it: no user, no password, no key. */
export function storeLine(event: StoreEvent, hosts: string, timeMs: number): string {
  return `${JSON.stringify({ time: new Date(timeMs).toISOString(), ...event, store: hosts })}\n`;
}
