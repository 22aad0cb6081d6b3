import { RecentMap, stackFrames } from '@winnow/service';

/** Returns a log line: the event as JSON with its time first. `timeMs` is in milliseconds since 1970. */
export function logLine(event: object, timeMs: number): string {
  return `${JSON.stringify({ time: new Date(timeMs).toISOString(), ...event })}\n`;
}

/** Effects for writing log lines. */
export interface LogEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  readonly writeLog: (lines: string) => void;
}

/** A log line without its time. */
export type LogEvent = { readonly event: string } & Readonly<Record<string, string | number | undefined>>;

/** Time for which an equal line is not written again, in milliseconds. */
const QUIET_MS = 60_000;

/** Maximum number of distinct lines that are remembered. */
const MOST_LINES = 256;

/**
 * Returns a function that writes equal log lines at most once a minute. `since` counts the lines skipped
 * before it.
 */
export function minuteLog({ now, wallClock, writeLog }: LogEffects): (event: LogEvent) => void {
  const written = new RecentMap<string, { at: number; unwritten: number }>(MOST_LINES);
  return (event) => {
    const key = JSON.stringify(event);
    const last = written.get(key);
    if (last !== undefined && now() - last.at < QUIET_MS) {
      last.unwritten++;
      return;
    }
    written.set(key, { at: now(), unwritten: 0 });
    const since = last === undefined || last.unwritten === 0 ? undefined : last.unwritten;
    writeLog(logLine({ ...event, since }, wallClock()));
  };
}

/** Returns the log line of a defect: its name and stack, without its message, which may quote its input. */
export function defectLine(error: unknown, timeMs: number): string {
  const name = error instanceof Error ? error.name : typeof error;
  const at = error instanceof Error ? stackFrames(error) : [];
  return logLine({ event: 'defect', error: name, at }, timeMs);
}
