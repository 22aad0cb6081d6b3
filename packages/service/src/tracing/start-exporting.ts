import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { createSampler } from './create-sampler.ts';
import { recordingTracer } from './recording-tracer.ts';
import type { Tracing, TracingOptions } from './tracing.ts';
import type { TracingSettings } from './tracing-settings.ts';
import { watchedExporter } from './watched-exporter.ts';

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
  const exporter = watchedExporter(new OTLPTraceExporter({ url: settings.url }), onChange);
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
