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
}

/** Returns the role of meaning in a search. */
export function readMeaning(body: unknown): MeaningOutcome {
  const parsed = Metadata.safeParse(body);
  if (!parsed.success) return {};
  const { search_type: used, degraded, degraded_reason: reason } = parsed.data.search_metadata;
  if (degraded) return reason === 'no_embedder' ? {} : { meaning: 'degraded' };
  return used === 'hybrid' ? { meaning: 'used' } : {};
}
