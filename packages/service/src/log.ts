import { causeCode } from './cause-code.ts';
import { stackFrames } from './stack-frames.ts';

/** The levels from the most to the least verbose. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * The fields of a log line: small and flat values. They never contain a request's content, only lengths and
 * hashes.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Writes one JSON line for each event of its level or above. */
export interface Log {
  isOn(level: LogLevel): boolean;
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** Writes the held lines. */
  flush(): void;
}

/** The destination of log lines, and the clock for their timestamps. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Takes whole lines, each with its line feed. */
  readonly sink: (lines: string) => void;
  /** Returns milliseconds since the epoch. */
  readonly wallClock: () => number;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * Returns a log of JSON lines: `time`, `level`, `event`, then the fields.
 *
 * The lines of one turn of the event loop are written together, because a write per line costs more than the
 * request it describes.
 */
export function createLog({ level, sink, wallClock }: LogOptions): Log {
  const least = LEVELS.indexOf(level);
  let held = '';
  const isOn = (asked: LogLevel) => LEVELS.indexOf(asked) >= least;
  const flush = () => {
    if (held !== '') sink(held);
    held = '';
  };
  return {
    isOn,
    write(asked, event, fields) {
      if (!isOn(asked)) return;
      if (held === '') setImmediate(flush);
      const time = new Date(wallClock()).toISOString();
      held += `${JSON.stringify({ time, level: asked, event, ...fields })}\n`;
    },
    flush,
  };
}

/**
 * Returns an error as log fields: its name, the code of its cause, and stack frames.
 *
 * It leaves out the message, because parsers and engines quote their input in it.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  return { error: error.name, cause: causeCode(error), at: stackFrames(error) };
}
