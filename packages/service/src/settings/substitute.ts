import { readFileSync, statSync } from 'node:fs';

/** The surroundings of a text. Problems and paths of files are added to its lists. */
export interface Substitution {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The beginning of a sentence about the text, such as its line and key. */
  readonly place: string;
  readonly problems: string[];
  /** Paths of the files that were read or looked for. */
  readonly files: string[];
}

const FILE = /\$\{file:([^}]+)\}/g;
const REFERENCE = /\$\{(?:file:([^}]+)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}/g;

/** Whether a text is nothing but a reference to a file. */
export function isFileReference(text: unknown): text is string {
  return typeof text === 'string' && /^\$\{file:[^}]+\}$/.test(text);
}

/**
 * Replaces references to environment variables and files in a text: `${NAME}`, or `${NAME:-default}`, where the
 * default replaces a variable that is missing or empty, and `${file:PATH}`. Undefined if one is missing, which is
 * a problem.
 */
export function substitute(text: string, within: Substitution): string | undefined {
  const { length } = within.problems;
  const replaced = text.replace(REFERENCE, (_, path?: string, name?: string, fallback?: string) => {
    if (path !== undefined) return contentOf(path, within);
    const value = within.environment[name!];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    within.problems.push(
      `${within.place} needs the environment variable ${name}, which is not set; \${${name}:-default} gives it a default.`,
    );
    return '';
  });
  return within.problems.length === length ? replaced : undefined;
}

/** Replaces references to files alone, as in the value of an environment variable. */
export function substituteFiles(text: string, within: Substitution): string | undefined {
  const { length } = within.problems;
  const replaced = text.replace(FILE, (_, path: string) => contentOf(path, within));
  return within.problems.length === length ? replaced : undefined;
}

function contentOf(path: string, { place, problems, files }: Substitution): string {
  files.push(path);
  const read = readSecretFile(path);
  if (read.ok) return read.text;
  problems.push(`${place} needs the file ${path}, which ${read.reason}.`);
  return '';
}

/** Reads a file; undefined when it cannot be read. */
export function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

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
