import type { Writable } from 'node:stream';

/** Lines that wait for a slow reader take no more memory than this, and what has gathered; those that come then are lost. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** How long lines gather before they are written together, in milliseconds: a write costs as much as a dozen lines. */
const GATHER_MS = 50;

/** How many characters gather at most. */
const MAX_GATHERED_CHARS = 64 * 1024;

/** Calls back after so many milliseconds. */
export type Later = (delayMs: number, callBack: () => void) => void;

/**
 * Writes log lines to a stream that may be slow, full or closed, such as stdout at the end of a pipe. Lines gather for a moment.
 *
 * Contract: `write` never waits or throws, and no error of the stream reaches the process, which would end by it. What cannot be
 * written is lost and counted; a stream that takes lines again gets them.
 */
export class LineOutput {
  readonly #stream: Writable;
  readonly #later: Later;
  #gathered = '';
  #lost = 0;

  constructor(stream: Writable, later: Later = waitUnnoticed) {
    this.#stream = stream;
    this.#later = later;
    // Each failed write is told of by its own call back.
    stream.on('error', () => {});
  }

  /** Lines that were lost so far. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes whole lines, each with its line feed. */
  write(lines: string): void {
    if (this.#gathered === '') this.#later(GATHER_MS, () => this.flush());
    this.#gathered += lines;
    if (this.#gathered.length >= MAX_GATHERED_CHARS) this.flush();
  }

  /** Hands over what has gathered: to be called when the process is about to end without `finish`. */
  flush(): void {
    const lines = this.#gathered;
    this.#gathered = '';
    if (lines !== '') this.#hand(lines);
  }

  /** Resolves when everything that was taken is written, or `deadline` aborts: a reader that hangs holds no end up. */
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

/** A process whose work is done does not wait for it. */
const waitUnnoticed: Later = (delayMs, callBack) => void setTimeout(callBack, delayMs).unref();

function countLines(lines: string): number {
  return lines.split('\n').length - 1;
}
