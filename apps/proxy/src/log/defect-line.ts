import { stackFrames } from '@winnow/service';
import { logLine } from './log-line.ts';

/** Returns the log line of a defect: its name and stack, without its message, which may quote its input. */
export function defectLine(error: unknown, timeMs: number): string {
  const name = error instanceof Error ? error.name : typeof error;
  const at = error instanceof Error ? stackFrames(error) : [];
  return logLine({ event: 'defect', error: name, at }, timeMs);
}
