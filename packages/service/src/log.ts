import { stackFrames } from './stack-frames.ts';

/** From the most talkative to the quietest. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Values that a log line may hold: small and flat. Content of requests is never among them, only lengths and hashes. */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Writes one JSON line for each event of its level or above. */
export interface Log {
  isOn(level: LogLevel): boolean;
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** Hands over the lines that are held back. */
  flush(): void;
}

/** Where log lines go, and whose clock stamps them. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Takes whole lines, each with its line feed. */
  readonly sink: (lines: string) => void;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * A log of JSON lines: `time`, `level`, `event`, then the fields.
 *
 * Lines of one turn of the event loop are written together: a write for each costs more than the request it tells of.
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
 * An error as log fields: its name and where it was thrown.
 *
 * Not its message: the messages of parsers and engines quote what they were given.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  return { error: error.name, at: stackFrames(error) };
}
