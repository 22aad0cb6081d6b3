import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { TEST_FILES } from './files-with.ts';
import { NIGHT_TESTS } from './night-tests.ts';
import { SLOW_TESTS } from './slow-tests.ts';
import { ROOT } from './source-files.ts';

test.each(SLOW_TESTS)('there are tests that begin with %s', (start) => {
  expect(TEST_FILES.filter((path) => relative(ROOT, path).startsWith(start)).length).toBeGreaterThan(0);
});

test.each(NIGHT_TESTS)('there are integration tests called %s', (pattern) => {
  const files = globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
  expect(files.length).toBeGreaterThan(0);
  // Every unit test runs by day.
  expect(files.filter((path) => !path.endsWith('.integration.test.ts'))).toEqual([]);
});
