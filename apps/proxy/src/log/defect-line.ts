import { stackFrames } from '@winnow/service';
import { logLine } from './log-line.ts';

/** A defect as a log line: its name and where it was thrown. Not its message, which may quote what it was given. */
export function defectLine(error: unknown, timeMs: number): string {
  const name = error instanceof Error ? error.name : typeof error;
  const at = error instanceof Error ? stackFrames(error) : [];
  return logLine({ event: 'defect', error: name, at }, timeMs);
}
