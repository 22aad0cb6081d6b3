import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GatheredText } from '@winnow/service';

/** Effects and options for writing. */
export interface RecordFileOptions extends RotatedFile {
  /** Calls back at an interval in milliseconds until the returned function is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /**
   * Called with the problem when writing begins to fail, and without one when it works again; not for every
   * record.
   */
  readonly onChange: (problem?: string) => void;
  /** Replaces the function that appends, for tests of slow disks. */
  readonly append?: typeof appendLines;
}

/**
 * Time for which lines gather before they are written together, in milliseconds: opening and closing the file
 * costs as much as a record.
 */
const GATHER_MS = 100;

/** Delay before another attempt at a failing file, in milliseconds. */
const RETRY_MS = 1_000;

/** Maximum number of bytes that wait for the disk; further lines are lost. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** Number of bytes from which on a batch is full. A file exceeds its limit by little more at most. */
const MAX_BATCH_BYTES = 256 * 1024;

/**
 * A file of lines that is written in the background.
 *
 * Contract: `write` never waits, throws or rejects; whole lines only, in order, each once. While the file
 * cannot be written, lines wait in bounded memory and are retried; lines that do not fit are dropped and
 * counted.
 *
 * `rotating-file-stream` is not used: its stream ends after the first error, so that a disk that was full for
 * a second would cost all records until the next start; it takes a truncated write for a complete one; its
 * queue is unbounded.
 */
export class RecordFile {
  readonly #options: RecordFileOptions;
  /** Lines that wait: full batches, and the newest one. */
  readonly #batches: Batch[] = [];
  readonly #newest = new GatheredText(2 * MAX_BATCH_BYTES);
  #newestLines = 0;
  #heldBytes = 0;
  #dropped = 0;
  #isFailing = false;
  #isClosed = false;
  #writing: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: RecordFileOptions) {
    this.#options = options;
  }

  /** Number of lines lost so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Opens the file before the first write, so that an operator sees a problem at the start. */
  open(): void {
    this.#writing ??= this.#writeHeld();
  }

  /** Adds a line with its line feed. */
  write(line: string): void {
    if (this.#isClosed || this.#heldBytes + line.length > MAX_HELD_BYTES) {
      this.#dropped++;
      this.#tell('too_slow');
      return;
    }
    const before = this.#newest.length;
    this.#newest.add(line);
    this.#newestLines++;
    this.#heldBytes += this.#newest.length - before;
    if (this.#newest.length >= MAX_BATCH_BYTES) this.#endBatch();
    this.#writeSoon();
  }

  /** Writes the held lines, and waits for it until `deadline` aborts; the rest is lost. */
  async close(deadline: AbortSignal): Promise<void> {
    await Promise.race([this.#finish(), aborted(deadline)]);
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#endBatch();
    for (const { lines } of this.#batches.splice(0)) this.#dropped += lines;
  }

  async #finish(): Promise<void> {
    await this.#writing;
    this.#stopTimer?.();
    if (this.#heldBytes > 0) await this.#writeHeld();
  }

  /** Schedules one write for all lines that arrive until then. */
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
   * Writes the held batches, or else the newest lines. Lines that come during a write gather first, as otherwise the
   * file would be opened and closed without pause under load. Never rejects.
   */
  async #writeHeld(): Promise<void> {
    const { append = appendLines } = this.#options;
    if (this.#batches.length === 0) this.#endBatch();
    try {
      do {
        const batch = this.#batches[0];
        await append(batch?.bytes ?? NOTHING, this.#options);
        this.#batches.shift();
        if (batch !== undefined) this.#newest.release(batch.bytes);
        this.#heldBytes -= batch?.bytes.length ?? 0;
      } while (this.#batches.length > 0);
      this.#tell(undefined);
    } catch (error) {
      this.#tell((error as NodeJS.ErrnoException).code ?? 'unknown');
    }
    this.#writing = undefined;
    if (this.#heldBytes > 0) this.#writeSoon();
  }

  #endBatch(): void {
    if (this.#newestLines === 0) return;
    this.#batches.push({ bytes: this.#newest.take(), lines: this.#newestLines });
    this.#newestLines = 0;
  }

  /** Reports a problem, as a system code or `too_slow`, or its end; each change once. */
  #tell(problem: string | undefined): void {
    const isFailing = problem !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#options.onChange(problem);
  }
}

/** Lines that are written together. */
interface Batch {
  readonly bytes: Buffer;
  readonly lines: number;
}

const NOTHING = Buffer.alloc(0);

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A file that is renamed when it is full. */
interface RotatedFile {
  readonly path: string;
  /** Size at which the file counts as full. */
  readonly maxBytes: number;
  /** Number of renamed files to keep: `path.1` is the newest, and the oldest is replaced. */
  readonly keep: number;
}

/**
 * Appends whole lines to a file and creates it and its folder if necessary; renames a full file first.
 *
 * Keeps no state between calls, so that other programs may move, truncate or remove the file in between. A
 * file that cannot be renamed is not written to either, which keeps the size limits of rotation. Rejects if
 * not everything could be written; then nothing is.
 */
export async function appendLines(lines: Buffer, file: RotatedFile): Promise<void> {
  if ((await sizeOf(file.path)) >= file.maxBytes) await rotate(file);
  const handle = await openToAppend(file.path);
  try {
    await appendWhole(handle, lines);
  } finally {
    await handle.close();
  }
}

async function appendWhole(handle: FileHandle, lines: Buffer): Promise<void> {
  const { size } = await handle.stat();
  try {
    const isCut = await endsInLine(handle, size);
    await handle.appendFile(isCut ? Buffer.concat([Buffer.from('\n'), lines]) : lines);
  } catch (error) {
    // A full disk takes a part of them. If even this fails, the next lines begin on their own line.
    await handle.truncate(size).catch(() => {});
    throw error;
  }
}

/** Whether a file ends in the middle of a line, because a process was killed while writing. */
async function endsInLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== LINE_FEED;
}

const LINE_FEED = 0x0a;

async function rotate({ path, keep }: RotatedFile): Promise<void> {
  for (let number = keep; number > 1; number--) {
    await renameIfThere(`${path}.${number - 1}`, `${path}.${number}`);
  }
  await renameIfThere(path, `${path}.1`);
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** The rights of a new file: programs that collect logs read it as members of its group. */
const FILE_MODE = 0o640;

/** Opens the file for reading as well, as its last byte is checked. */
async function openToAppend(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a+', FILE_MODE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(dirname(path));
    return await open(path, 'a+', FILE_MODE);
  }
}

/**
 * Creates a folder and its parents. Not by `recursive`: if creation fails although the parent exists, as in a
 * removed working directory or below `/proc`, Node retries forever, occupying a thread and a core.
 */
async function makeFolder(path: string): Promise<void> {
  const above = dirname(path);
  try {
    await makeOneFolder(path);
  } catch (error) {
    if (!isMissing(error) || above === path) throw error;
    await makeFolder(above);
    await makeOneFolder(path);
  }
}

async function makeOneFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
