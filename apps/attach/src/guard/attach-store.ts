import type { AttachResponse } from '@winnow/core';
import { RecentMap } from '@winnow/service';
import type { PlannedAttachment } from '../prepare-attachment.ts';

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

/** Responses and plans that are kept: some 10 KB each. */
const MAX_ENTRIES = 2_000;

interface Expiring<Value> {
  readonly value: Value;
  /** The time at which it expires. */
  readonly until: number;
}

interface StoredKey {
  readonly bodyHash: string;
  /** Undefined while the request is being worked on. */
  readonly response: AttachResponse | undefined;
}

/** A store for one instance. @param now milliseconds that only ever grow. */
export function createMemoryStore(now: () => number): AttachStore {
  const keys = new RecentMap<string, Expiring<StoredKey>>(MAX_ENTRIES);
  const plans = new RecentMap<string, Expiring<PlannedAttachment>>(MAX_ENTRIES);
  const leases = new Map<string, object>();
  const put = <Value>(map: RecentMap<string, Expiring<Value>>, key: string, value: Value, keptMs: number) =>
    map.set(key, { value, until: now() + keptMs });
  const get = <Value>(map: RecentMap<string, Expiring<Value>>, key: string): Value | undefined => {
    const found = map.get(key);
    return found !== undefined && found.until > now() ? found.value : undefined;
  };
  return {
    async lease(agentId): Promise<Lease | undefined> {
      if (leases.has(agentId)) return undefined;
      const own = {};
      leases.set(agentId, own);
      return {
        renew: async () => leases.get(agentId) === own,
        release: async () => {
          if (leases.get(agentId) === own) leases.delete(agentId);
        },
      };
    },
    async begin(key, bodyHash): Promise<KeyState> {
      const known = get(keys, key);
      if (known === undefined) {
        put(keys, key, { bodyHash, response: undefined }, KEPT_MS.running);
        return { kind: 'begun' };
      }
      if (known.bodyHash !== bodyHash) return { kind: 'conflict' };
      return known.response ? { kind: 'finished', response: known.response } : { kind: 'running' };
    },
    async finish(key, bodyHash, response) {
      put(keys, key, { bodyHash, response }, KEPT_MS.response);
    },
    async abandon(key) {
      keys.delete(key);
    },
    async savePlan(planId, planned) {
      put(plans, planId, planned, KEPT_MS.plan);
    },
    async readPlan(planId) {
      return get(plans, planId);
    },
    close() {},
  };
}
