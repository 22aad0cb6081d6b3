import { connectRedis, parseRedisUrl, readClientTls } from '@winnow/service';
import type { Settings } from '../config.ts';
import type { AttachStore } from './attach-store.ts';
import { createMemoryStore } from './memory-store.ts';
import { createRedisStore } from './redis-store.ts';

export interface OpenStoreEffects {
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  readonly deadline: (timeoutMs: number) => AbortSignal;
  readonly makeId: () => string;
  /** Called when the store becomes available, and repeatedly while it is not. */
  readonly onChange: (isUp: boolean) => void;
}

/** The store that the settings name: in memory, or in the Redis of `ATTACH_REDIS_URL`, which need not be there yet. */
export async function openStore(
  { redisUrl, redisCaFile }: Pick<Settings, 'redisUrl' | 'redisCaFile'>,
  { now, deadline, makeId, onChange }: OpenStoreEffects,
): Promise<AttachStore> {
  if (redisUrl === '') return createMemoryStore(now);
  const parsed = parseRedisUrl(redisUrl);
  if (!parsed.ok) throw new Error(`ATTACH_REDIS_URL ${parsed.problem}.`);
  const tls = readClientTls('redis', { ca_file: redisCaFile, cert_file: '', key_file: '' });
  const link = await connectRedis(parsed.address, tls, {
    onReady: () => onChange(true),
    onLost: () => onChange(false),
  });
  return createRedisStore({ link, deadline, makeId });
}
