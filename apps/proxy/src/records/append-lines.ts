import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file that is renamed when it is full. */
export interface RotatedFile {
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
export async function appendLines(lines: string, file: RotatedFile): Promise<void> {
  if ((await sizeOf(file.path)) >= file.maxBytes) await rotate(file);
  const handle = await openToAppend(file.path);
  try {
    await appendWhole(handle, lines);
  } finally {
    await handle.close();
  }
}

async function appendWhole(handle: FileHandle, lines: string): Promise<void> {
  const { size } = await handle.stat();
  try {
    await handle.appendFile((await endsInLine(handle, size)) ? `\n${lines}` : lines);
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

/** Opens the file for reading as well, as its last byte is checked. */
async function openToAppend(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a+');
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(dirname(path));
    return await open(path, 'a+');
  }
}

/**
 * Creates a folder and its parents. Not by `recursive`: if creation fails although the parent exists, as in a
 * removed working directory or below `/proc`, Node retries forever on a thread and core of its own.
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
