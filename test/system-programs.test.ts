import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesWith, TEST_FILES } from './files-with.ts';
import { ROOT } from './source-files.ts';
import { missingPrograms, OUTSIDE_PARTS, SYSTEM_PROGRAMS } from './system-programs.ts';

test.each(SYSTEM_PROGRAMS)('tests that need $debianPackage say so by a tag', ({ tag, sign }) => {
  const inNeed = filesWith(sign, TEST_FILES);
  expect(inNeed.length).toBeGreaterThan(0);
  const untagged = inNeed.filter(
    (path) => !new RegExp(`@module-tag ${tag}\\b|tags: .*'${tag}'`).test(readFileSync(path, 'utf8')),
  );
  expect(untagged).toEqual([]);
});

test.each(OUTSIDE_PARTS)('$name is needed by some test', ({ tag }) => {
  const tagged = TEST_FILES.filter((path) =>
    new RegExp(`@module-tag ${tag}\\b|tags.*'${tag}'`).test(readFileSync(path, 'utf8')),
  );
  expect(tagged.length).toBeGreaterThan(0);
});

test('no test is skipped by other means than its tag', () => {
  const skipping = TEST_FILES.filter((path) => /\b(?:skipIf|runIf)\b/.test(readFileSync(path, 'utf8')));
  expect(skipping.filter((path) => path !== import.meta.filename)).toEqual([]);
});

test.each(['.ci/run', 'CONTRIBUTING.md'])('%s installs all of them', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const absent = SYSTEM_PROGRAMS.filter(({ debianPackage }) => !text.includes(debianPackage));
  expect(absent).toEqual([]);
});

test('a program is missing when the PATH leads to none of its names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-path-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Without the folders outside the PATH in which one of them may be installed here, too.
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
