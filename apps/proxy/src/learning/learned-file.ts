import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { Learned, NOTHING_LEARNED } from '@winnow/learning';
import { parseJson } from '@winnow/text';

/** The content of the file of applied learning, or the reason why it cannot be used. */
export type LearnedReading =
  | { readonly ok: true; readonly learned: Learned }
  | { readonly ok: false; readonly problem: string };

/** Largest file to read, in bytes: far more than learning writes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads the file; one that does not exist says that nothing was learned. Never throws. */
export function readLearned(path: string): LearnedReading {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { ok: true, learned: NOTHING_LEARNED };
    if (stats.size > MAX_BYTES) return { ok: false, problem: 'too_large' };
    const { data } = Learned.safeParse(parseJson(readFileSync(path, 'utf8')));
    return data === undefined ? { ok: false, problem: 'invalid' } : { ok: true, learned: data };
  } catch (error) {
    return { ok: false, problem: (error as NodeJS.ErrnoException).code ?? 'unreadable' };
  }
}

/** Replaces the file as a whole: no reader sees a part of it. Throws if it cannot be written. */
export function writeLearned(path: string, learned: Learned): void {
  const written = `${path}.${process.pid}.new`;
  writeFileSync(written, `${JSON.stringify(learned, null, 2)}\n`, { mode: 0o600 });
  renameSync(written, path);
}
