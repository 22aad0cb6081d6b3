import { readFileSync, statSync } from 'node:fs';

/** The content of a file with a secret, or the reason why there is none, which completes "the file … ". */
export type SecretFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Larger files hold no secret. In bytes. */
const MAX_BYTES = 64 * 1024;

/** Reads a secret from a file, without the line break at its end. Never throws, and quotes nothing. */
export function readSecretFile(path: string): SecretFile {
  try {
    const found = statSync(path);
    // A pipe would block the process.
    if (!found.isFile()) return { ok: false, reason: 'is not a file' };
    if (found.size > MAX_BYTES) return { ok: false, reason: 'is larger than 64 KiB' };
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { ok: false, reason: 'is empty' } : { ok: true, text };
  } catch (error) {
    return { ok: false, reason: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
