import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { missingPrograms, SYSTEM_PROGRAMS } from './system-programs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const TEST_FILES = globSync('{apps,packages,bench,test}/**/*.test.ts', {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
}).map((path) => join(ROOT, path));

interface SourceText {
  readonly text: string;
  /** Files that it imports by their paths. */
  readonly imports: readonly string[];
}

const read = new Map<string, SourceText>();

/** Reads a file once, however many others import it. */
function readSource(path: string): SourceText {
  const known = read.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const imports = [...text.matchAll(/\bfrom '(\.[^']+\.ts)'/g)].map((match) =>
    resolve(dirname(path), match[1]!),
  );
  const source = { text, imports };
  read.set(path, source);
  return source;
}

/** The text of a file and of everything that it imports by its path. */
function textWithImports(path: string, seen = new Set<string>()): string {
  if (seen.has(path)) return '';
  seen.add(path);
  const { text, imports } = readSource(path);
  return [text, ...imports.map((one) => textWithImports(one, seen))].join('\n');
}

test.each(SYSTEM_PROGRAMS)('tests that need $debianPackage say so by a tag', ({ tag, sign }) => {
  const inNeed = TEST_FILES.filter((path) => sign.test(textWithImports(path)));
  expect(inNeed.length).toBeGreaterThan(0);
  const untagged = inNeed.filter(
    (path) => !new RegExp(`@module-tag ${tag}\\b|tags: .*'${tag}'`).test(readFileSync(path, 'utf8')),
  );
  expect(untagged).toEqual([]);
});

test.each(['.ci/run', 'README.md'])('%s installs all of them', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const absent = SYSTEM_PROGRAMS.filter(({ debianPackage }) => !text.includes(debianPackage));
  expect(absent).toEqual([]);
});

test('a program is missing when the PATH leads to none of its names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-path-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Without the folders that one of them has beside the PATH, which this machine may have as well.
  const programs = SYSTEM_PROGRAMS.filter((program) => !('folders' in program));
  const missingTags = () =>
    missingPrograms(['/nowhere', folder].join(delimiter), programs).map(({ tag }) => tag);
  expect(missingTags()).toEqual(['redis', 'chromium', 'openssl', 'python']);
  writeFileSync(join(folder, 'openssl'), '');
  expect(missingTags()).toEqual(['redis', 'chromium', 'openssl', 'python']);
  for (const name of ['openssl', 'valkey-server']) writeFileSync(join(folder, name), '', { mode: 0o755 });
  writeFileSync(join(folder, 'chromium'), '', { mode: 0o755 });
  expect(missingTags()).toEqual(['openssl', 'python']);
});
