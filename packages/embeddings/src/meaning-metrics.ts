import type { MetricsRegistry } from '@winnow/service';
import { EMBEDDING_FAILURES, type EmbeddingFailure } from './embedding-error.ts';
import type { SharedMeanings } from './open-meanings.ts';

/** The state that the metrics show. */
export type MeaningMeters = Pick<SharedMeanings, 'size' | 'bytes' | 'isFailing'>;

/**
 * Adds the embedding metrics that all services share: vectors held, their memory, and failures of the
 * embedder. All are 0 while `read` returns undefined, as it does without an embedder.
 */
export function createMeaningMetrics(registry: MetricsRegistry, read: () => MeaningMeters | undefined) {
  registry.watch({
    vectors: ['Vectors held.', () => read()?.size ?? 0],
    vector_bytes: ['Memory of the vectors held, in bytes.', () => read()?.bytes ?? 0],
    embedder_failing: ['1 while the embedder fails.', () => Number(read()?.isFailing ?? false)],
  });
  const { embedder_failures_total: failures } = registry.add({
    embedder_failures_total: {
      help: 'Times that the embedder began to fail, by reason.',
      labels: ['reason'],
      known: Object.keys(EMBEDDING_FAILURES),
    },
  });
  return {
    /** Counts the start of a failure. */
    countEmbedderFailure: (reason: EmbeddingFailure) => failures.inc({ reason }),
  };
}
