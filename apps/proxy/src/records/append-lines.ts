import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file that is renamed when it is full. */
export interface RotatedFile {
  readonly path: string;
  /** A file of this size or more is full. */
  readonly maxBytes: number;
  /** Renamed files that are kept: `path.1` is the youngest, the oldest one is replaced. */
  readonly keep: number;
}

/**
 * Appends whole lines to a file, which is made where there is none, its folder too; one that is full is renamed before.
 *
 * Nothing is remembered from one call to the next, so that it does not matter who moves, cuts or removes the file meanwhile. A file
 * that cannot be renamed is not written to either: what rotation promises of the disk holds. Rejects when not everything could be
 * written; then nothing is.
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
    // A full disk takes a part of them. Should even this fail, the next lines begin on a line of their own.
    await handle.truncate(size).catch(() => {});
    throw error;
  }
}

/** Whether a file ends in the middle of a line, as a process leaves it that was killed while it wrote. */
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

/** For reading as well: its last byte is looked at. */
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
 * Makes a folder and those above it. Not by `recursive`: where nothing can be made although what is above is there, as in a working
 * directory that was removed and below `/proc`, Node tries for ever, on a thread and a core of its own.
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
