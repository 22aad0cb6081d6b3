import type { ExportState } from './span.ts';
import { SILENT_TRACER, type Tracing, type TracingOptions } from './span.ts';

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

/** Returns the log line for a change of the exporter's state: spans begin to be lost, or arrive again. */
export function exportStateLine(state: ExportState, timeMs: number): string {
  const time = new Date(timeMs).toISOString();
  const level = state === 'down' ? 'warn' : 'info';
  return `${JSON.stringify({ time, level, event: `trace_export_${state}` })}\n`;
}
