import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { appendLines, RecordFile, type RecordFileOptions } from '../src/records/record-file.ts';

function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'winnow-records-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A file with timers that the test fires. */
function open(options: Partial<RecordFileOptions> = {}) {
  const folder = temporaryFolder();
  const path = join(folder, 'records.jsonl');
  const timers = new Map<() => void, number>();
  const changes: (string | undefined)[] = [];
  const file = new RecordFile({
    path,
    maxBytes: 1_000,
    keep: 2,
    every: (intervalMs, callBack) => {
      timers.set(callBack, intervalMs);
      return () => timers.delete(callBack);
    },
    onChange: (problem) => changes.push(problem),
    ...options,
  });
  return {
    file,
    folder,
    path,
    changes,
    /** Intervals of the running timers. */
    waits: () => [...timers.values()],
    /** Fires the timers. */
    tick: () => {
      for (const callBack of [...timers.keys()]) callBack();
    },
    close: () => file.close(new AbortController().signal),
    read: (name = 'records.jsonl') => readFileSync(join(folder, name), 'utf8'),
  };
}

/** Waits for writes to the disk. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a file of records', () => {
  test('gathers lines and writes them together, in order', async () => {
    const written: string[] = [];
    const { file, waits, tick } = open({ append: async (lines) => void written.push(String(lines)) });
    file.write('a\n');
    file.write('b\n');
    expect(written).toEqual([]);
    expect(waits()).toEqual([100]);
    tick();
    // Lines that arrive during a write gather again: otherwise a busy proxy would open and close the file all
    // the time.
    file.write('c\n');
    await until(() => waits().length === 1);
    expect(written).toEqual(['a\nb\n']);
    expect(waits()).toEqual([100]);
    tick();
    await until(() => written.length === 2);
    expect(written).toEqual(['a\nb\n', 'c\n']);
    expect(waits()).toEqual([]);
  });

  test('continues at once while a whole batch waits', async () => {
    const written: number[] = [];
    const { file, waits, tick } = open({ append: async (lines) => void written.push(lines.length) });
    const line = `${'x'.repeat(128 * 1024 - 1)}\n`;
    for (let count = 0; count < 5; count++) file.write(line);
    tick();
    await until(() => waits().length === 1);
    expect(written).toEqual([256 * 1024, 256 * 1024]);
    tick();
    await until(() => written.length === 3);
    expect(written.at(-1)).toBe(128 * 1024);
  });

  test('is written to its last line when it is closed, even during a write', async () => {
    const { file, tick, close, read } = open();
    file.write('a\n');
    tick();
    file.write('b\n');
    await close();
    expect(read()).toBe('a\nb\n');
    expect(file.dropped).toBe(0);
  });

  test('is created at the start, so that an operator sees problems at once', async () => {
    const { file, path } = open();
    file.open();
    await until(() => existsSync(path));
    // Only its owner writes it, and only its group reads it, too.
    expect(statSync(path).mode & 0o137).toBe(0);
    const missing = open({ path: '/dev/null/records.jsonl' });
    missing.file.open();
    await until(() => missing.changes.length > 0);
    expect(missing.changes).toEqual(['ENOTDIR']);
  });

  // Below `/proc` nothing can be created, and the system reports the parent folder as missing; it does the
  // same in a removed working directory.
  test('reports a folder that cannot be created, instead of retrying forever', async () => {
    const { file, changes } = open({ path: '/proc/records/of-today/records.jsonl' });
    file.open();
    await until(() => changes.length > 0);
    expect(changes).toEqual(['ENOENT']);
  });

  test('is written when it is closed', async () => {
    const { file, close, read } = open();
    file.write('a\n');
    await close();
    expect(read()).toBe('a\n');
    expect(file.dropped).toBe(0);
  });

  test('keeps lines while it cannot be written, and reports once that it fails and once that it works', async () => {
    let isFull = true;
    const written: string[] = [];
    const { file, changes, waits, tick } = open({
      append: async (lines) => {
        if (isFull) throw Object.assign(new Error(), { code: 'ENOSPC' });
        written.push(String(lines));
      },
    });
    for (const line of ['a\n', 'b\n', 'c\n']) {
      file.write(line);
      tick();
      await until(() => waits().length === 1);
    }
    expect(waits()).toEqual([1_000]);
    expect(changes).toEqual(['ENOSPC']);
    isFull = false;
    tick();
    await until(() => changes.length === 2);
    expect(changes).toEqual(['ENOSPC', undefined]);
    tick();
    await until(() => written.length === 2);
    expect(written.join('')).toBe('a\nb\nc\n');
    expect(file.dropped).toBe(0);
  });

  test('keeps a limited number of lines for a slow disk, and counts the rest', async () => {
    const written: string[] = [];
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { file, changes, tick, close } = open({
      append: async (lines) => {
        await slow;
        written.push(String(lines));
      },
    });
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    for (let count = 0; count < 8; count++) file.write(line);
    tick();
    file.write(line);
    file.write('y\n');
    expect(file.dropped).toBe(2);
    expect(changes).toEqual(['too_slow']);
    release();
    await close();
    expect(changes).toEqual(['too_slow', undefined]);
    expect(written.join('')).toBe(line.repeat(8));
  });

  test('is abandoned if the disk hangs during shutdown', async () => {
    const { file, tick } = open({ append: () => new Promise(() => {}) });
    file.write('a\n');
    tick();
    file.write('b\n');
    await file.close(AbortSignal.abort());
    expect(file.dropped).toBe(2);
    file.write('c\n');
    expect(file.dropped).toBe(3);
  });
});

describe('appending lines', () => {
  const appendTo = (folder: string, keep = 2) => {
    const path = join(folder, 'records.jsonl');
    return (lines: string) => appendLines(Buffer.from(lines), { path, maxBytes: 10, keep });
  };
  const contentsOf = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

  test('renames a file at a size, and keeps a number of them', async () => {
    const folder = temporaryFolder();
    const append = appendTo(folder);
    for (const letter of 'abcde') await append(`${letter.repeat(9)}\n`);
    await append('f\n');
    expect(contentsOf(folder)).toEqual({
      'records.jsonl': 'f\n',
      'records.jsonl.1': 'eeeeeeeee\n',
      'records.jsonl.2': 'ddddddddd\n',
    });
  });

  test('appends to the file of an earlier process, unless it is full', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'records.jsonl'), 'old\n');
    await appendTo(folder)('new\n');
    expect(contentsOf(folder)).toEqual({ 'records.jsonl': 'old\nnew\n' });
    writeFileSync(join(folder, 'records.jsonl'), `${'x'.repeat(100)}\n`);
    await appendTo(folder)('new\n');
    expect(contentsOf(folder)).toEqual({
      'records.jsonl': 'new\n',
      'records.jsonl.1': `${'x'.repeat(100)}\n`,
    });
  });

  test('begins on a new line after a line that a killed process left unfinished', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'records.jsonl'), '{"ha');
    await appendTo(folder)('new\n');
    expect(contentsOf(folder)).toEqual({ 'records.jsonl': '{"ha\nnew\n' });
  });

  test('creates the folder if it is missing, and again after it was removed', async () => {
    const folder = join(temporaryFolder(), 'deep', 'er');
    await appendTo(folder)('a\n');
    rmSync(folder, { recursive: true });
    await appendTo(folder)('b\n');
    expect(contentsOf(folder)).toEqual({ 'records.jsonl': 'b\n' });
  });

  test("survives another program's log rotation, by renaming or by truncation", async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'records.jsonl');
    await appendTo(folder)('a\n');
    renameSync(path, join(folder, 'moved'));
    await appendTo(folder)('b\n');
    appendFileSync(path, '');
    truncateSync(path, 0);
    await appendTo(folder)('c\n');
    expect(contentsOf(folder)).toEqual({ moved: 'a\n', 'records.jsonl': 'c\n' });
  });

  test('does not write to a full file that cannot be renamed, which keeps the size limits', async () => {
    const folder = temporaryFolder();
    const full = `${'x'.repeat(10)}\n`;
    writeFileSync(join(folder, 'records.jsonl'), full);
    // A file cannot replace a folder that is not empty, not even as root.
    mkdirSync(join(folder, 'records.jsonl.1', 'inside'), { recursive: true });
    await expect(appendTo(folder, 1)('new\n')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readFileSync(join(folder, 'records.jsonl'), 'utf8')).toBe(full);
  });

  test('takes back partial lines from a full disk', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'records.jsonl'), 'old\n');
    const program = fileURLToPath(new URL('append-too-much.ts', import.meta.url));
    // Files of this process and its children are limited to 1 KiB: a write stops there and fails.
    const limited = `ulimit -f 1; trap '' XFSZ; exec "${process.execPath}" "${program}" "${folder}/records.jsonl"`;
    const { stdout } = spawnSync('bash', ['-c', limited], { encoding: 'utf8' });
    expect(stdout).toBe('EFBIG');
    expect(contentsOf(folder)).toEqual({ 'records.jsonl': 'old\n' });
  });

  test('fails in a read-only folder', async () => {
    // No other user may enter the run's own folder for temporary files.
    const folder = temporaryFolder('/tmp');
    chmodSync(folder, 0o555);
    await asPlainUser(() =>
      expect(appendTo(folder)('a\n')).rejects.toMatchObject({ code: 'EACCES', syscall: 'open' }),
    );
  });
});

/** The id of the user without rights on most systems. */
const PLAIN_USER = 65_534;

/** Runs as a user other than root, who may write into every folder. */
async function asPlainUser(run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid!(PLAIN_USER);
  try {
    await run();
  } finally {
    process.seteuid!(0);
  }
}
