import { rememberBy } from '@winnow/wire';
import type { Upstream } from './choose-upstream.ts';

/** Providers with their own addresses, by a part of the host. */
const BY_HOST: readonly (readonly [host: RegExp, provider: string])[] = [
  [/\.(openai\.azure\.com|cognitiveservices\.azure\.com)$/, 'azure.ai.openai'],
  [/\.(services\.ai\.azure\.com|models\.ai\.azure\.com)$/, 'azure.ai.inference'],
  [/(^|[.-])aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/\.amazonaws\.com$/, 'aws.bedrock'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot_ai'],
  [/(^|\.)perplexity\.ai$/, 'perplexity'],
  [/(^|\.)x\.ai$/, 'x_ai'],
];

/**
 * Providers of the conventions by vendor, for other addresses: an upstream counts as the vendor whose format it
 * speaks.
 */
const BY_VENDOR: Readonly<Record<string, string>> = { bedrock: 'aws.bedrock', gemini: 'gcp.gemini' };

/**
 * Returns the value of `gen_ai.provider.name` for an upstream.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md
 */
export const genAiProvider = rememberBy(({ origin, vendor }: Pick<Upstream, 'origin' | 'vendor'>): string => {
  const { hostname } = new URL(origin);
  const own = BY_HOST.find(([host]) => host.test(hostname));
  return own?.[1] ?? BY_VENDOR[vendor.name] ?? vendor.name;
});
