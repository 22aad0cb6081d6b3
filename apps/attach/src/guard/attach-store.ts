import type { AttachResponse } from '@winnow/core';
import type { PlannedAttachment } from '../planned-attachment.ts';

/** The state of a request's idempotency key. */
export type KeyState =
  /** The key is new and belongs to this request: `finish` or `abandon` must follow. */
  | { readonly kind: 'begun' }
  /** Another request with the same body is in progress. */
  | { readonly kind: 'running' }
  /** The key was used with another body. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'finished'; readonly response: AttachResponse };

/** The right to change an agent. */
export interface Lease {
  /** Renews the lease; false if another instance may hold it. */
  renew(): Promise<boolean>;
  /** Releases the lease. Never rejects. */
  release(): Promise<void>;
}

/**
 * The state that instances of the service share: leases on agents, responses to requests with a key, and plans
 * of dry runs.
 *
 * Contract: entries expire after their time, and in a memory store after `maxEntries` newer ones at the latest.
 * Rejects with a `StoreFailure` if the store does not answer.
 */
export interface AttachStore {
  /** Returns the right to change an agent; undefined while another writer holds it. */
  lease(agentId: string): Promise<Lease | undefined>;
  /** @param bodyHash identifies the body. */
  begin(key: string, bodyHash: string): Promise<KeyState>;
  finish(key: string, bodyHash: string, response: AttachResponse): Promise<void>;
  abandon(key: string): Promise<void>;
  savePlan(planId: string, planned: PlannedAttachment): Promise<void>;
  readPlan(planId: string): Promise<PlannedAttachment | undefined>;
  close(): void;
}

/** The store does not respond. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/** Lifetimes of stored entries, in milliseconds. */
export const KEPT_MS = {
  /** Renewed while it is needed. */
  lease: 30_000,
  /** Longer than any request takes. */
  running: 60_000,
  response: 24 * 60 * 60_000,
  plan: 10 * 60_000,
} as const;
