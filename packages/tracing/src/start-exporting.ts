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

/** Spans that wait to be sent, at most; more are dropped. With what is on its way, a few megabytes. */
const MAX_QUEUED_SPANS = 2_048;

/** Spans in one message, at most: writing it down takes the main thread a millisecond. */
const MAX_BATCH_SPANS = 128;

/** How long spans wait for others to be sent with them, in milliseconds. */
const BATCH_DELAY_MS = 2_000;

/** Longer texts are cut: a client may call its model whatever it likes. */
const MAX_TEXT_CHARS = 256;

/**
 * Starts to send spans to a collector, from the background: whether it answers, slowly or never, no request waits for it, and what it
 * does not take in time is dropped.
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

/** What the environment says of the service goes before what we say; every process has an id of its own. */
function describeService(serviceName: string) {
  return defaultResource()
    .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}

/** Resolves when the work is done, well or not, or when the deadline aborts. */
function firstOf(work: Promise<void>, deadline: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (deadline.aborted) resolve();
    deadline.addEventListener('abort', () => resolve(), { once: true });
    // What a collector did not take is lost; that it fails has been told.
    work.then(resolve, () => resolve());
  });
}
