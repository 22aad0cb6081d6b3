const LINE_FEED = 0x0a;

/**
 * Cuts a stream of bytes into lines of UTF-8 text. A line that is longer than the limit is left out and counted, and is never in memory as a
 * whole; empty lines are left out. A carriage return at the end belongs to no line.
 */
export class LineSplitter {
  readonly #limitBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isTooLong = false;
  #tooLong = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Lines that were longer than the limit so far. */
  get tooLong(): number {
    return this.#tooLong;
  }

  /** Bytes that wait for the end of their line. */
  get heldBytes(): number {
    return this.#pendingBytes;
  }

  /** The lines that end in this chunk. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#finishLine(lines);
      start = end + 1;
    }
    // A copy: the rest of a chunk may wait for long, and a part would keep the whole.
    this.#hold(Buffer.from(chunk.subarray(start)));
    return lines;
  }

  /** The last line, when the stream did not end with a line feed. */
  end(): string[] {
    const lines: string[] = [];
    this.#finishLine(lines);
    return lines;
  }

  #hold(part: Buffer): void {
    if (this.#isTooLong || part.length === 0) return;
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes <= this.#limitBytes) return;
    this.#isTooLong = true;
    this.#tooLong++;
    this.#drop();
  }

  #finishLine(lines: string[]): void {
    const text =
      this.#pending.length === 1 ? this.#pending[0]!.toString() : Buffer.concat(this.#pending).toString();
    this.#isTooLong = false;
    this.#drop();
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line.trim() !== '') lines.push(line);
  }

  #drop(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
