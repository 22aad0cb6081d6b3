import { z } from 'zod';

/** The parts of a response about meaning. */
const Metadata = z.object({
  search_metadata: z.object({
    search_type: z.string(),
    degraded: z.boolean().optional(),
    degraded_reason: z.string().optional(),
  }),
});

/** The part that meaning had in a search. */
export interface MeaningOutcome {
  /**
   * `used` if ranking used meaning in full, `degraded` if vectors did not arrive in time. Missing if no vectors
   * were needed.
   */
  readonly meaning?: 'used' | 'degraded';
  /** Missing if the selector does not report it. */
  readonly hasEmbedder?: boolean;
}

/** Returns the role of meaning in a search. Only a `hybrid` one reports that there is no embedder. */
export function readMeaning(body: unknown): MeaningOutcome {
  const parsed = Metadata.safeParse(body);
  if (!parsed.success) return {};
  const { search_type: used, degraded, degraded_reason: reason } = parsed.data.search_metadata;
  if (degraded && reason === 'no_embedder') return { hasEmbedder: false };
  if (degraded) return { meaning: 'degraded', hasEmbedder: true };
  return used === 'hybrid' ? { meaning: 'used', hasEmbedder: true } : {};
}
