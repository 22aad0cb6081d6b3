/**
 * Cuts chunks of bytes into lines of text. A line that is longer than it may be is given as undefined, once, and the rest of it is passed over.
 */
export class LineReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isPassing = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(chunk: Buffer): Generator<string | undefined> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      if (!this.#isPassing) {
        this.#chunks.push(part);
        this.#bytes += part.length;
        if (this.#bytes > this.#maxBytes) {
          yield undefined;
          this.#clear();
          this.#isPassing = true;
        }
      }
      if (end < 0) return;
      if (!this.#isPassing) yield this.#take();
      this.#isPassing = false;
      start = end + 1;
    }
  }

  /** Returns the text after the last line. */
  rest(): string {
    return this.#take();
  }

  #take(): string {
    const line = Buffer.concat(this.#chunks).toString('utf8').replace(/\r$/, '');
    this.#clear();
    return line;
  }

  #clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }
}
