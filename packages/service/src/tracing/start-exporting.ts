import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { httpProxiesOf } from '../http-pool.ts';
import { recordingTracer } from './recording-tracer.ts';
import type { ExportState, Tracing, TracingOptions } from './span.ts';
import type { TracingSettings } from './tracing-settings.ts';

/**
 * Maximum number of queued spans; further ones are dropped. Together with spans in transit, a few megabytes.
 */
const MAX_QUEUED_SPANS = 2_048;

/** Maximum number of spans per batch: serializing one takes the main thread a millisecond. */
const MAX_BATCH_SPANS = 128;

/** Time that spans wait for a batch to fill, in milliseconds. */
const BATCH_DELAY_MS = 2_000;

/** Maximum length of a text attribute; longer texts are cut, because clients choose model names freely. */
const MAX_TEXT_CHARS = 256;

/**
 * Starts to send spans to a collector in the background. No request ever waits for the collector; spans that
 * it does not accept in time are dropped.
 */
export function startExporting(
  settings: TracingSettings,
  { serviceName, clock, onChange }: Omit<TracingOptions, 'settings'>,
): Tracing {
  const httpAgentOptions = proxiedAgent(settings);
  const inner = new OTLPTraceExporter({ url: settings.url, ...(httpAgentOptions && { httpAgentOptions }) });
  const exporter = watchedExporter(inner, onChange);
  const provider = new TracerProvider({
    resource: describeService(serviceName),
    sampler: createSampler(settings),
    spanLimits: { attributeValueLengthLimit: MAX_TEXT_CHARS },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_QUEUED_SPANS,
        maxExportBatchSize: MAX_BATCH_SPANS,
        scheduledDelayMillis: BATCH_DELAY_MS,
      }),
    ],
  });
  let closed: Promise<void> | undefined;
  return {
    tracer: recordingTracer(provider.getTracer('winnow'), clock),
    close: (deadline) => {
      closed ??= firstOf(provider.shutdown(), deadline);
      return closed;
    },
  };
}

/**
 * Returns a function that makes the exporter's agent, behind the HTTP proxies of the environment; undefined without proxies, where the
 * exporter makes its own.
 */
function proxiedAgent({ certificates = {} }: TracingSettings) {
  const proxies = httpProxiesOf();
  if (proxies === undefined) return undefined;
  const { httpProxy, httpsProxy, noProxy } = proxies;
  const proxyEnv = { http_proxy: httpProxy, https_proxy: httpsProxy || httpProxy, no_proxy: noProxy };
  const options = { keepAlive: true, proxyEnv };
  const files = Object.entries(certificates).map(([option, path]) => [option, readFileSync(path)] as const);
  return (protocol: string) =>
    protocol === 'http:' ? new Agent(options) : new TlsAgent({ ...options, ...Object.fromEntries(files) });
}

/**
 * Describes the service. Attributes from the environment take precedence over ours; every process has its own
 * instance id.
 */
function describeService(serviceName: string) {
  return defaultResource()
    .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}

/** Resolves when the work settles or when the deadline aborts. */
function firstOf(work: Promise<void>, deadline: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (deadline.aborted) resolve();
    deadline.addEventListener('abort', () => resolve(), { once: true });
    // Spans that the collector refused are lost; the failure has been reported.
    work.then(resolve, () => resolve());
  });
}

/**
 * Returns the named sampler, which decides which traces are recorded. A `parentbased` sampler decides only at
 * the root of a trace.
 */
export function createSampler({ sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
    default: {
      const missing: never = sampler;
      return missing;
    }
  }
}

/**
 * Wraps an exporter and calls `onChange` when batches begin to be lost and when they arrive again: once per
 * change, not per batch.
 */
export function watchedExporter(inner: SpanExporter, onChange: (state: ExportState) => void): SpanExporter {
  let state: ExportState = 'up';
  return {
    export(spans, resultCallback) {
      inner.export(spans, (result) => {
        const next = result.error === undefined ? 'up' : 'down';
        if (next !== state) onChange(next);
        state = next;
        resultCallback(result);
      });
    },
    shutdown: () => inner.shutdown(),
  };
}
