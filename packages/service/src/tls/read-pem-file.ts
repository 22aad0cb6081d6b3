import { readFileSync } from 'node:fs';

/** Reads a file that a setting names. If that fails, throws an error that names the setting, not the path. */
export function readPemFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${setting} must name a file that can be read (${code ?? 'unknown error'}).`, { cause });
  }
}
