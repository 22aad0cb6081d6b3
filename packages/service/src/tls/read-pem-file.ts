import { readFileSync } from 'node:fs';

/** The text of a file that a setting names. Throws an error that names the setting, and not the path, when it cannot be read. */
export function readPemFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${setting} must name a file that can be read (${code ?? 'unknown error'}).`, { cause });
  }
}
