import { appendLines, type RotatedFile } from './append-lines.ts';

/** What writing takes from the world around it. */
export interface RecordFileOptions extends RotatedFile {
  /** Calls back every so many milliseconds until the function that it gives is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Told when writing begins to fail, with what is wrong, and with nothing when it works again; not once for each record. */
  readonly onChange: (problem?: string) => void;
  /** Another way to append, for tests of disks that are slow. */
  readonly append?: typeof appendLines;
}

/** How long lines gather before they are written together, in milliseconds: opening and closing the file costs as much as a record. */
const GATHER_MS = 100;

/** How long a file that fails is left alone, in milliseconds. */
const RETRY_MS = 1_000;

/** Lines that wait for the disk are no longer than this together; those that come then are lost. */
const MAX_HELD_CHARS = 8 * 1024 * 1024;

/** What is written at once, in characters, hardly any of which take more than a byte. A file is larger than it should be by as much at most. */
const MAX_BATCH_CHARS = 256 * 1024;

/**
 * A file of lines that is written while the work that they tell of goes on.
 *
 * Contract: `write` never waits, throws or rejects; whole lines only, in order, each once. While the file cannot be written, lines wait
 * in bounded memory and are tried again; what does not fit is dropped and counted.
 *
 * `rotating-file-stream` is not used: its stream is over after the first error, so a disk that was full for a second would cost all
 * records until the next start; it takes a write that was cut short for a whole one; its queue has no bound.
 */
export class RecordFile {
  readonly #options: RecordFileOptions;
  #held: string[] = [];
  #heldChars = 0;
  #dropped = 0;
  #isFailing = false;
  #isClosed = false;
  #writing: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: RecordFileOptions) {
    this.#options = options;
  }

  /** Lines that were lost so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Tries the file before there is anything to write: an operator hears at the start what is wrong with it. */
  open(): void {
    this.#writing ??= this.#writeHeld();
  }

  /** Takes a line with its line feed. */
  write(line: string): void {
    if (this.#isClosed || this.#heldChars + line.length > MAX_HELD_CHARS) {
      this.#dropped++;
      this.#tell('too_slow');
      return;
    }
    this.#held.push(line);
    this.#heldChars += line.length;
    this.#writeSoon();
  }

  /** Writes what is held, and waits for it until `deadline` aborts; what is left then is lost. */
  async close(deadline: AbortSignal): Promise<void> {
    await Promise.race([this.#finish(), aborted(deadline)]);
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#dropped += this.#held.length;
    this.#held = [];
  }

  async #finish(): Promise<void> {
    await this.#writing;
    this.#stopTimer?.();
    if (this.#held.length > 0) await this.#writeHeld(1);
  }

  /** Writes after a while, once, however many lines come until then. */
  #writeSoon(): void {
    if (this.#stopTimer || this.#writing) return;
    const stop = this.#options.every(this.#isFailing ? RETRY_MS : GATHER_MS, () => {
      this.#stopTimer?.();
      this.#writing ??= this.#writeHeld();
    });
    this.#stopTimer = () => {
      stop();
      this.#stopTimer = undefined;
    };
  }

  /**
   * Writes what is held, and goes on at once only while `leastChars` are held: the few lines that have come meanwhile gather first, or
   * under load the file would be opened and closed without a pause. Never rejects.
   */
  async #writeHeld(leastChars = MAX_BATCH_CHARS): Promise<void> {
    try {
      do {
        await this.#writeBatch();
      } while (this.#heldChars >= leastChars);
      this.#tell(undefined);
    } catch (error) {
      this.#tell((error as NodeJS.ErrnoException).code ?? 'unknown');
    }
    this.#writing = undefined;
    if (this.#held.length > 0) this.#writeSoon();
  }

  /** Lines that could not be written stay held. */
  async #writeBatch(): Promise<void> {
    const { append = appendLines } = this.#options;
    let count = 0;
    let chars = 0;
    while (count < this.#held.length && chars < MAX_BATCH_CHARS) {
      chars += this.#held[count++]!.length;
    }
    await append(this.#held.slice(0, count).join(''), this.#options);
    this.#held.splice(0, count);
    this.#heldChars -= chars;
  }

  /** Tells of a problem, as a system's code or `too_slow`, or of none; nothing that is known already. */
  #tell(problem: string | undefined): void {
    const isFailing = problem !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#options.onChange(problem);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
