import { modelId, RedisVectors, type SharedVectors } from '@winnow/embeddings';
import { connectRedis, parseRedisUrl } from '@winnow/redis';
import { type Log, readClientTls } from '@winnow/service';
import type { Settings } from './config.ts';

/** What sharing takes from the world around it. */
export interface ShareEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly deadline: ((ms: number) => AbortSignal) | undefined;
  /** Is told once when the Redis is of no use, and once when it is again. */
  readonly log: Pick<Log, 'write'>;
}

/**
 * The Redis of `SELECTOR_REDIS_URL`, where selectors with the same model share the vectors of tools; undefined without one. It need not be there yet.
 *
 * @throws an error that names the setting when the file of authorities is no good.
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
