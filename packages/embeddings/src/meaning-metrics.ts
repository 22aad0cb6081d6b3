import type { MetricsRegistry } from '@winnow/service';
import { EMBEDDING_FAILURES, type EmbeddingFailure } from './embedding-error.ts';
import type { SharedMeanings } from './open-meanings.ts';

/** The state of meaning that metrics show. */
export type MeaningMeters = Pick<SharedMeanings, 'size' | 'bytes' | 'isFailing'>;

/**
 * Adds the measures that every service has of meaning: vectors held, their memory, and failures of the embedder.
 * All are 0 while `read` gives undefined, as it does without an embedder.
 */
export function createMeaningMetrics(registry: MetricsRegistry, read: () => MeaningMeters | undefined) {
  registry.watch({
    vectors: ['Vectors held.', () => read()?.size ?? 0],
    vector_bytes: ['Memory of the vectors held, in bytes.', () => read()?.bytes ?? 0],
    embedder_failing: ['1 while vectors do not come.', () => Number(read()?.isFailing ?? false)],
  });
  const { embedder_failures_total: failures } = registry.add({
    embedder_failures_total: {
      help: 'Times that vectors stopped coming, by the reason.',
      labels: ['reason'],
      known: Object.keys(EMBEDDING_FAILURES),
    },
  });
  return {
    /** Counts that vectors have stopped coming. */
    countEmbedderFailure: (reason: EmbeddingFailure) => failures.inc({ reason }),
  };
}
