import type { ExportState } from './watched-exporter.ts';

/** A change of the exporter's state as a log line: one when spans begin to be lost, one when they arrive again. */
export function exportStateLine(state: ExportState, timeMs: number): string {
  const time = new Date(timeMs).toISOString();
  const level = state === 'down' ? 'warn' : 'info';
  return `${JSON.stringify({ time, level, event: `trace_export_${state}` })}\n`;
}
