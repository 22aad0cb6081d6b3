import type { Writable } from 'node:stream';
import { GatheredText } from './gathered-text.ts';

/** The levels from the most to the least verbose. */
export type LogLevel = 'info' | 'warn' | 'error';

/**
 * The fields of a log line: small and flat values. They never contain a request's content, only lengths and
 * hashes.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Writes one JSON line for each event of its level or above. */
export interface Log {
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** Writes the held lines. */
  flush(): void;
}

/** The destination of log lines, and the clock for their timestamps. */
interface LogOptions {
  readonly level: LogLevel;
  /** Takes whole lines, each with its line feed. */
  readonly sink: (lines: string) => void;
  /** Returns milliseconds since the epoch. */
  readonly wallClock: () => number;
}

const LEVELS: readonly LogLevel[] = ['info', 'warn', 'error'];

/**
 * Returns a log of JSON lines: `time`, `level`, `event`, then the fields.
 *
 * The lines of one turn of the event loop are written together, because a write per line costs more than the
 * request it describes.
 */
export function createLog({ level, sink, wallClock }: LogOptions): Log {
  const least = LEVELS.indexOf(level);
  let held = '';
  const flush = () => {
    if (held !== '') sink(held);
    held = '';
  };
  return {
    write(written, event, fields) {
      if (LEVELS.indexOf(written) < least) return;
      if (held === '') setImmediate(flush);
      const time = new Date(wallClock()).toISOString();
      held += `${JSON.stringify({ time, level: written, event, ...fields })}\n`;
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

/** The most causes to follow: Winnow's own error, undici's, the socket's. */
const MOST_CAUSES = 5;

/** Undici's messages about a proxy that refuses a connection. */
const PROXY_REFUSAL = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/**
 * Returns the code of a network error, such as `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET` or
 * `PROXY_RESPONSE_407`: the innermost in the chain of causes, which is the most specific. Undefined when there
 * is none. Codes come from the
 * system and the libraries, and never quote a request.
 */
export function causeCode(error: unknown): string | undefined {
  let code: string | undefined;
  let current = error;
  for (let depth = 0; depth < MOST_CAUSES && current instanceof Error; depth++) {
    const own = (current as NodeJS.ErrnoException).code;
    if (typeof own === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(own)) code = own;
    const [, status] = PROXY_REFUSAL.exec(current.message) ?? [];
    if (status !== undefined) code = `PROXY_RESPONSE_${status}`;
    current = current.cause;
  }
  return code;
}

/**
 * Returns the stack frames of an error, innermost first.
 *
 * The message, which begins the stack and may have several lines, is left out, because parsers and engines
 * quote their input in it. A stack that does not begin with the message gives no frames.
 */
export function stackFrames({ message, stack = '' }: Error): string[] {
  const messageAt = stack.indexOf(message);
  if (messageAt < 0) return [];
  return stack
    .slice(messageAt + message.length)
    .split('\n')
    .filter((line) => line.startsWith(FRAME))
    .map((line) => line.slice(FRAME.length));
}

const FRAME = '    at ';

/**
 * The most memory of lines that wait for a slow reader, in addition to the gathered ones; further lines are
 * lost.
 */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * The time for which lines are gathered before they are written together, in milliseconds: a write costs as
 * much as a dozen lines.
 */
const GATHER_MS = 50;

/** Number of gathered bytes that are written without waiting longer. */
const MAX_GATHERED_BYTES = 64 * 1024;

/** Calls back after this many milliseconds. */
type Later = (delayMs: number, callBack: () => void) => void;

/**
 * Writes log lines to a stream that may be slow, full or closed, such as stdout at the end of a pipe. Lines
 * are gathered for a moment.
 *
 * Contract: `write` never waits or throws, and no error of the stream can end the process. Lines that cannot
 * be written are lost and counted; writing resumes when the stream accepts lines again.
 */
export class LineOutput {
  readonly #stream: Writable;
  readonly #later: Later;
  readonly #gathered = new GatheredText(2 * MAX_GATHERED_BYTES);
  #lost = 0;

  constructor(stream: Writable, later: Later = waitUnnoticed) {
    this.#stream = stream;
    this.#later = later;
    // The callback of each write reports its failure.
    stream.on('error', () => {});
  }

  /** The number of lost lines so far. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes whole lines, each with its line feed. */
  write(lines: string): void {
    if (this.#gathered.length === 0) this.#later(GATHER_MS, () => this.flush());
    this.#gathered.add(lines);
    if (this.#gathered.length >= MAX_GATHERED_BYTES) this.flush();
  }

  /** Writes the gathered lines. Call it when the process is about to end without `finish`. */
  flush(): void {
    if (this.#gathered.length > 0) this.#hand(this.#gathered.take());
  }

  /**
   * Resolves when all lines are written, or `deadline` aborts: a reader that hangs must not delay the
   * shutdown.
   */
  finish(deadline: AbortSignal): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      if (deadline.aborted) resolve();
      deadline.addEventListener('abort', () => resolve(), { once: true });
      this.#stream.write('', () => resolve());
    });
  }

  #hand(lines: Buffer): void {
    if (this.#stream.writableLength >= MAX_WAITING_BYTES) {
      this.#lost += countLines(lines);
      this.#gathered.release(lines);
      return;
    }
    this.#stream.write(lines, (error) => {
      if (error) this.#lost += countLines(lines);
      this.#gathered.release(lines);
    });
  }
}

/** The timer does not keep a finished process running. */
const waitUnnoticed: Later = (delayMs, callBack) => void setTimeout(callBack, delayMs).unref();

function countLines(lines: Buffer): number {
  return lines.toString('latin1').split('\n').length - 1;
}
