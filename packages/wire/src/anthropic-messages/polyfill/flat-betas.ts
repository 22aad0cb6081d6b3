import type { HeaderValue } from '../../format/polyfilled.ts';
import type { RequestView } from '../../format/view.ts';
import type { Edit } from '../../json/json-splice.ts';

/**
 * The betas for deferred tools. The first one also covered other tool features, which no longer need a beta.
 * Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool
 */
const BETAS = ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'];

/** The same betas as header values. */
export const BETA_HEADERS: readonly HeaderValue[] = BETAS.map((value) => ({ name: 'anthropic-beta', value }));

/** Returns the edit that removes these betas from a body, where Bedrock expects them. */
export function removeBetas({ body, spans }: RequestView): Edit[] {
  const span = spans.members.get('anthropic_beta');
  const betas: unknown = body.anthropic_beta;
  if (span === undefined || !Array.isArray(betas)) return [];
  const kept = betas.filter((beta) => !BETAS.includes(beta));
  return kept.length === betas.length ? [] : [{ ...span, text: JSON.stringify(kept) }];
}
