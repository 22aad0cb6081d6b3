import type { Tracer } from './span.ts';
import type { TracingSettings } from './tracing-settings.ts';
import type { ExportState } from './watched-exporter.ts';

/** Tracing that runs. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left, as far as `deadline` allows, and stops. Never rejects. A second call waits for the first. */
  close(deadline: AbortSignal): Promise<void>;
}

/** The two clocks that spans are timed by. */
export interface Clock {
  /** Milliseconds since some moment, with fractions; never goes back. */
  now(): number;
  /** Milliseconds since 1970. */
  wallClock(): number;
}

/** What tracing is started with. */
export interface TracingOptions {
  /** Undefined: off. */
  readonly settings: TracingSettings | undefined;
  /** The name of the service where `OTEL_SERVICE_NAME` says nothing. */
  readonly serviceName: string;
  readonly clock: Clock;
  /** Told when spans begin to be lost, and when they arrive again. */
  readonly onChange: (state: ExportState) => void;
}
