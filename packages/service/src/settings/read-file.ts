import { readFileSync } from 'node:fs';

/** Reads a file; undefined when it cannot be read. */
export function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
