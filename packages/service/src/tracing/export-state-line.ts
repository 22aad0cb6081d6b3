import type { ExportState } from './watched-exporter.ts';

/** Returns the log line for a change of the exporter's state: spans begin to be lost, or arrive again. */
export function exportStateLine(state: ExportState, timeMs: number): string {
  const time = new Date(timeMs).toISOString();
  const level = state === 'down' ? 'warn' : 'info';
  return `${JSON.stringify({ time, level, event: `trace_export_${state}` })}\n`;
}
