import { SILENT_TRACER } from './silent-tracer.ts';
import type { Tracing, TracingOptions } from './tracing.ts';

const OFF: Tracing = { tracer: SILENT_TRACER, close: async () => {} };

/**
 * Starts tracing. Without settings it sends nothing and does not even load OpenTelemetry, which takes time
 * and some 25 MB.
 */
export async function startTracing({ settings, ...options }: TracingOptions): Promise<Tracing> {
  if (!settings) return OFF;
  const { startExporting } = await import('./start-exporting.ts');
  return startExporting(settings, options);
}
