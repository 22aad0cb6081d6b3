import type { Writable } from 'node:stream';

/** Lines that wait for a slow reader take no more memory than this, and one turn's lines; those that come then are lost. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * Writes log lines to a stream that may be slow, full or closed, such as stdout at the end of a pipe.
 *
 * Contract: `write` never waits or throws, and no error of the stream reaches the process, which would end by it. What cannot be
 * written is lost and counted; a stream that takes lines again gets them.
 */
export class LineOutput {
  readonly #stream: Writable;
  #lost = 0;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Each failed write is told of by its own call back.
    stream.on('error', () => {});
  }

  /** Lines that were lost so far. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes whole lines, each with its line feed. */
  write(lines: string): void {
    if (this.#stream.writableLength >= MAX_WAITING_BYTES) {
      this.#lost += countLines(lines);
      return;
    }
    this.#stream.write(lines, (error) => {
      if (error) this.#lost += countLines(lines);
    });
  }

  /** Resolves when everything that was taken is written, or `deadline` aborts: a reader that hangs holds no end up. */
  finish(deadline: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (deadline.aborted) resolve();
      deadline.addEventListener('abort', () => resolve(), { once: true });
      this.#stream.write('', () => resolve());
    });
  }
}

function countLines(lines: string): number {
  return lines.split('\n').length - 1;
}
