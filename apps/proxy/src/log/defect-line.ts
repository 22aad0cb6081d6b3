import { stackFrames } from '@winnow/service';

/** A defect as a log line: its name and where it was thrown. Not its message, which may quote what it was given. */
export function defectLine(error: unknown, timeMs: number): string {
  const time = new Date(timeMs).toISOString();
  const name = error instanceof Error ? error.name : typeof error;
  const at = error instanceof Error ? stackFrames(error) : [];
  return `${JSON.stringify({ time, event: 'defect', error: name, at })}\n`;
}
