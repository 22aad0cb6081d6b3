import type { Tracer } from './span.ts';
import type { TracingSettings } from './tracing-settings.ts';
import type { ExportState } from './watched-exporter.ts';

/** Running tracing. */
export interface Tracing {
  readonly tracer: Tracer;
  /**
   * Sends the remaining spans until `deadline` aborts, and stops. Never rejects. A second call waits for the
   * first.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/** The two clocks that time spans. */
export interface Clock {
  /** Milliseconds since an arbitrary moment, with fractions; monotonic. */
  now(): number;
  /** Milliseconds since 1970. */
  wallClock(): number;
}

/** Options for starting tracing. */
export interface TracingOptions {
  /** Undefined turns tracing off. */
  readonly settings: TracingSettings | undefined;
  /** The service name if `OTEL_SERVICE_NAME` is not set. */
  readonly serviceName: string;
  readonly clock: Clock;
  /** Called when spans begin to be lost and when they arrive again. */
  readonly onChange: (state: ExportState) => void;
}
