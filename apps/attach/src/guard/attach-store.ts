import { type AttachResponse, parseJson } from '@winnow/core';
import {
  connectRedis,
  parseRedisUrl,
  RecentMap,
  type RedisCommand,
  type RedisLink,
  readClientTls,
} from '@winnow/service';
import type { Settings } from '../config.ts';
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
const KEPT_MS = {
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
  /** Missing while the request is being worked on. */
  readonly response?: AttachResponse;
}

/** Returns the state of a key that is stored already. */
function stateOf(stored: StoredKey, bodyHash: string): KeyState {
  if (stored.bodyHash !== bodyHash) return { kind: 'conflict' };
  return stored.response ? { kind: 'finished', response: stored.response } : { kind: 'running' };
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
      const stored = get(keys, key);
      if (stored !== undefined) return stateOf(stored, bodyHash);
      put(keys, key, { bodyHash }, KEPT_MS.running);
      return { kind: 'begun' };
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

interface RedisStoreOptions {
  readonly link: Pick<RedisLink, 'run' | 'close'>;
  /** Returns a signal that aborts after the given milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Returns a unique text. */
  readonly makeId: () => string;
}

/** The time limit of a round trip, in milliseconds. */
const ROUND_TRIP_MS = 1_000;

const PREFIX = 'winnow:attach:';

/**
 * Only the holder of the lease may renew or release it:
 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
 */
const RENEW =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";
const RELEASE =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

/** A store that several instances share. Values are JSON, each under its own key, which expires. */
function createRedisStore({ link, deadline, makeId }: RedisStoreOptions): AttachStore {
  async function ask(...command: RedisCommand): Promise<unknown> {
    const [reply] = await beforeDeadline(link.run([command]), deadline(ROUND_TRIP_MS));
    if (reply?.ok) return reply.value;
    throw new StoreFailure(reply === undefined ? 'no reply in time' : 'no reply', { cause: reply?.error });
  }
  const put = (key: string, value: unknown, keptMs: number, ...more: readonly string[]) =>
    ask('set', `${PREFIX}${key}`, JSON.stringify(value), 'PX', keptMs, ...more);
  const get = async <Value>(key: string): Promise<Value | undefined> => {
    const text = await ask('get', `${PREFIX}${key}`);
    // Text that is not JSON was not written by this service.
    return typeof text === 'string' ? (parseJson(text) as Value | undefined) : undefined;
  };

  return {
    async lease(agentId): Promise<Lease | undefined> {
      const key = `${PREFIX}writer:${agentId}`;
      const own = makeId();
      if ((await ask('set', key, own, 'PX', KEPT_MS.lease, 'NX')) !== 'OK') return undefined;
      return {
        renew: async () => (await ask('eval', RENEW, 1, key, own, KEPT_MS.lease)) === 1,
        // The lease expires by itself if this fails.
        release: async () => void (await ask('eval', RELEASE, 1, key, own).catch(() => {})),
      };
    },
    async begin(key, bodyHash): Promise<KeyState> {
      if ((await put(`key:${key}`, { bodyHash } satisfies StoredKey, KEPT_MS.running, 'NX')) === 'OK')
        return { kind: 'begun' };
      const stored = await get<StoredKey>(`key:${key}`);
      // Otherwise the key has expired or was released in the meantime.
      return stored === undefined ? { kind: 'running' } : stateOf(stored, bodyHash);
    },
    async finish(key, bodyHash, response) {
      await put(`key:${key}`, { bodyHash, response } satisfies StoredKey, KEPT_MS.response);
    },
    async abandon(key) {
      await ask('del', `${PREFIX}key:${key}`);
    },
    async savePlan(planId, planned) {
      await put(`plan:${planId}`, planned, KEPT_MS.plan);
    },
    readPlan: (planId) => get<PlannedAttachment>(`plan:${planId}`),
    close: () => link.close(),
  };
}

async function beforeDeadline<Result>(
  running: Promise<readonly Result[]>,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  return await new Promise((resolve, reject) => {
    running.then(resolve, reject);
    signal.addEventListener('abort', () => resolve([]), { once: true });
  });
}

interface OpenStoreEffects {
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  readonly deadline: (timeoutMs: number) => AbortSignal;
  readonly makeId: () => string;
  /** Called when the store becomes available, and repeatedly while it is not. */
  readonly onChange: (isUp: boolean) => void;
}

/** The store that the settings name: in memory, or in the Redis of `ATTACH_REDIS_URL`, which need not be there yet. */
export async function openStore(
  { redisUrl, clientTlsFolder }: Pick<Settings, 'redisUrl' | 'clientTlsFolder'>,
  { now, deadline, makeId, onChange }: OpenStoreEffects,
): Promise<AttachStore> {
  if (redisUrl === '') return createMemoryStore(now);
  const parsed = parseRedisUrl(redisUrl);
  if (!parsed.ok) throw new Error(`ATTACH_REDIS_URL ${parsed.problem}.`);
  const link = await connectRedis(parsed.address, readClientTls(clientTlsFolder), {
    onReady: () => onChange(true),
    onLost: () => onChange(false),
  });
  return createRedisStore({ link, deadline, makeId });
}
