import type { AttachResponse } from '@winnow/contract';
import type { PlannedAttachment } from '../planned-attachment.ts';

/** What became of a key that a client has given its request. */
export type KeyState =
  /** It is new, and this request's from now on: `finish` or `abandon` must follow. */
  | { readonly kind: 'begun' }
  /** Another request with the same body has it and is being worked on. */
  | { readonly kind: 'running' }
  /** It was used with another body. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'finished'; readonly response: AttachResponse };

/** The right to change an agent. */
export interface Lease {
  /** Keeps it for another while; gives false when somebody else may have it by now. */
  renew(): Promise<boolean>;
  /** Gives it back. Never rejects. */
  release(): Promise<void>;
}

/**
 * What instances of the service share: who changes which agent, responses to requests with a key, and plans of dry runs.
 *
 * Contract: everything is gone after its time, and after `maxEntries` newer ones at the latest where a store is in memory. Rejects with a `StoreFailure` when
 * the store does not answer.
 */
export interface AttachStore {
  /** The right to change an agent; undefined while somebody else has it. */
  lease(agentId: string): Promise<Lease | undefined>;
  /** @param bodyHash tells one body from another. */
  begin(key: string, bodyHash: string): Promise<KeyState>;
  finish(key: string, bodyHash: string, response: AttachResponse): Promise<void>;
  abandon(key: string): Promise<void>;
  savePlan(planId: string, planned: PlannedAttachment): Promise<void>;
  readPlan(planId: string): Promise<PlannedAttachment | undefined>;
  close(): void;
}

/** The store does not answer. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/** How long things are kept, in milliseconds. */
export const KEPT_MS = {
  /** Renewed while it is needed. */
  lease: 30_000,
  /** Longer than any request takes. */
  running: 60_000,
  response: 24 * 60 * 60_000,
  plan: 10 * 60_000,
} as const;
