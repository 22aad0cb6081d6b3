import type { Writable } from 'node:stream';

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

/** The most characters that are gathered. */
const MAX_GATHERED_CHARS = 64 * 1024;

/** Calls back after this many milliseconds. */
export type Later = (delayMs: number, callBack: () => void) => void;

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
  #gathered = '';
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
    if (this.#gathered === '') this.#later(GATHER_MS, () => this.flush());
    this.#gathered += lines;
    if (this.#gathered.length >= MAX_GATHERED_CHARS) this.flush();
  }

  /** Writes the gathered lines. Call it when the process is about to end without `finish`. */
  flush(): void {
    const lines = this.#gathered;
    this.#gathered = '';
    if (lines !== '') this.#hand(lines);
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

  #hand(lines: string): void {
    if (this.#stream.writableLength >= MAX_WAITING_BYTES) {
      this.#lost += countLines(lines);
      return;
    }
    this.#stream.write(lines, (error) => {
      if (error) this.#lost += countLines(lines);
    });
  }
}

/** The timer does not keep a finished process running. */
const waitUnnoticed: Later = (delayMs, callBack) => void setTimeout(callBack, delayMs).unref();

function countLines(lines: string): number {
  return lines.split('\n').length - 1;
}
