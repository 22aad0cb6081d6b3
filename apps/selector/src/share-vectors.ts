import { modelId, RedisVectors, type SharedVectors } from '@winnow/embeddings';
import { connectRedis, parseRedisUrl } from '@winnow/redis';
import { type Log, readClientTls } from '@winnow/service';
import type { Settings } from './config.ts';

/** Dependencies of sharing. */
export interface ShareEffects {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly deadline: ((ms: number) => AbortSignal) | undefined;
  /** Called once when the Redis fails, and once when it works again. */
  readonly log: Pick<Log, 'write'>;
}

/**
 * Connects to the Redis of `SELECTOR_REDIS_URL`, where selectors with the same model share the vectors of
 * tools; undefined without one. The Redis may become available later.
 *
 * @throws an error that names the setting if the CA file is invalid.
 */
export function shareVectors(
  { embedder, redisUrl, redisCaFile }: Pick<Settings, 'embedder' | 'redisUrl' | 'redisCaFile'>,
  { now, deadline = AbortSignal.timeout, log }: ShareEffects,
): SharedVectors | undefined {
  if (redisUrl === '') return undefined;
  const parsed = parseRedisUrl(redisUrl);
  if (!parsed.ok) throw new Error(`SELECTOR_REDIS_URL ${parsed.problem}.`);
  const files = { ca_file: redisCaFile, cert_file: '', key_file: '' };
  const tls = readClientTls('redis', files);
  return new RedisVectors({
    model: modelId(embedder),
    connect: (listener) => connectRedis(parsed.address, tls, listener),
    now,
    deadline,
    onChange(state) {
      if (state.kind === 'back') log.write('info', 'vector_store_back', {});
      else log.write('warn', 'vector_store_away', { problem: state.problem });
    },
  });
}
