import type { AttachResponse } from '@winnow/core';
import { RecentMap } from '@winnow/service';
import type { PlannedAttachment } from '../planned-attachment.ts';
import { type AttachStore, KEPT_MS, type KeyState, type Lease } from './attach-store.ts';

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
