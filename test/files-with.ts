import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ROOT } from './source-files.ts';

/** Every test file, by its full path. */
export const TEST_FILES: readonly string[] = globSync('{apps,packages,bench,test}/**/*.test.ts', {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
}).map((path) => join(ROOT, path));

/**
 * Those of the given files (full paths) that contain a match, directly or in a file that they import by path.
 */
export function filesWith(sign: RegExp, paths: readonly string[]): readonly string[] {
  const bearers = new Map<string, boolean>();
  const bears = (path: string) => {
    const known = bearers.get(path) ?? sign.test(readSource(path).text);
    bearers.set(path, known);
    return known;
  };
  return paths.filter((path) => [...withImports(path)].some(bears));
}

const reached = new Map<string, ReadonlySet<string>>();

/** A file, by its full path, and all files that it imports by path, directly or indirectly; found once. */
function withImports(path: string): ReadonlySet<string> {
  const known = reached.get(path);
  if (known !== undefined) return known;
  const found = new Set([path]);
  // Iterating over a set also visits elements that are added meanwhile.
  for (const one of found) for (const imported of readSource(one).imports) found.add(imported);
  reached.set(path, found);
  return found;
}

interface SourceText {
  readonly text: string;
  /** Files that it imports by path. */
  readonly imports: readonly string[];
}

const read = new Map<string, SourceText>();

/** Reads a file once, however many others import it. */
function readSource(path: string): SourceText {
  const known = read.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const imports = [...text.matchAll(/\b(?:from|import) '(\.[^']+\.ts)'/g)].map((match) =>
    resolve(dirname(path), match[1]!),
  );
  const source = { text, imports };
  read.set(path, source);
  return source;
}
