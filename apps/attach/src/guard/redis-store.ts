import { type AttachResponse, parseJson } from '@winnow/core';
import {
  connectRedis,
  parseRedisUrl,
  type RedisCommand,
  type RedisLink,
  readClientTls,
} from '@winnow/service';
import type { Settings } from '../config.ts';
import type { PlannedAttachment } from '../prepare-attachment.ts';
import {
  type AttachStore,
  createMemoryStore,
  KEPT_MS,
  type KeyState,
  type Lease,
  StoreFailure,
} from './attach-store.ts';

export interface RedisStoreOptions {
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

/** A key's value: the hash of its request's body, and the response, if there is one. */
interface StoredKey {
  readonly bodyHash: string;
  readonly response?: AttachResponse;
}

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
      const own: StoredKey = { bodyHash };
      if ((await put(`key:${key}`, own, KEPT_MS.running, 'NX')) === 'OK') return { kind: 'begun' };
      const known = await get<StoredKey>(`key:${key}`);
      // The key has expired or was released in the meantime.
      if (known === undefined) return { kind: 'running' };
      if (known.bodyHash !== bodyHash) return { kind: 'conflict' };
      return known.response ? { kind: 'finished', response: known.response } : { kind: 'running' };
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
