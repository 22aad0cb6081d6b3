import type { ExchangeRecord } from '@winnow/core';
import { type MetricsRegistry, serverAttributes } from '@winnow/service';
import { rememberBy } from '@winnow/wire';
import { BoundedLabels } from './bounded-labels.ts';
import { isGood } from './http/is-good.ts';
import { genAiError, genAiOperation } from './records/record-attributes.ts';
import type { Upstream } from './upstream/choose-upstream.ts';
import { genAiProvider } from './upstream/gen-ai-provider.ts';

/** Maximum number of models with their own label. */
const MOST_MODELS = 100;

const LABELS = [
  'gen_ai_operation_name',
  'gen_ai_provider_name',
  'gen_ai_request_model',
  'server_address',
  'server_port',
] as const;

/**
 * Metrics of OpenTelemetry's semantic conventions, in Prometheus' form of their names, with the buckets that the
 * conventions advise.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-metrics.md
 */
const GEN_AI_MEASURES = {
  token_usage: {
    help: 'Tokens of one response of a provider, as the provider counts them.',
    labels: [...LABELS, 'gen_ai_token_type'],
    buckets: [
      1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
    ],
  },
  operation_duration_seconds: {
    help: 'Time from a request of a client to the end of its response, hidden rounds included.',
    labels: [...LABELS, 'error_type'],
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  },
} as const;

/** Adds these metrics, and returns a function that counts a record in them. */
export function genAiMetrics(
  registry: MetricsRegistry,
  upstreamOf: (name: string) => Upstream | undefined,
): (record: ExchangeRecord) => void {
  const measures = registry.add(GEN_AI_MEASURES, 'gen_ai_client');
  const models = new BoundedLabels(MOST_MODELS);
  return (record) => {
    const upstream = upstreamOf(record.upstream);
    // A model counts as known once its provider has answered for it: clients make up names.
    const isKnown = isGood({ status: record.status ?? 0 });
    const labels = {
      gen_ai_operation_name: genAiOperation(record),
      gen_ai_request_model: record.model === undefined ? '' : models.labelOf(record.model, isKnown),
      ...(upstream ? serverLabels(upstream) : NO_SERVER),
    };
    const error_type = genAiError(record) ?? '';
    measures.operation_duration_seconds.observe({ ...labels, error_type }, record.totalMs / 1_000);
    for (const { inputTokens, outputTokens } of record.usageByRound ?? (record.usage ? [record.usage] : [])) {
      measures.token_usage.observe({ ...labels, gen_ai_token_type: 'input' }, inputTokens);
      measures.token_usage.observe({ ...labels, gen_ai_token_type: 'output' }, outputTokens);
    }
  };
}

const NO_SERVER = { gen_ai_provider_name: '', server_address: '', server_port: '0' };

const serverLabels = rememberBy((upstream: Upstream): typeof NO_SERVER => {
  const { 'server.address': address, 'server.port': port } = serverAttributes(upstream.origin);
  return {
    gen_ai_provider_name: genAiProvider(upstream),
    server_address: String(address),
    server_port: String(port),
  };
});
