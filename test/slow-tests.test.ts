import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { TEST_FILES } from './files-with.ts';
import { SLOW_TESTS } from './slow-tests.ts';
import { ROOT } from './source-files.ts';

test.each(SLOW_TESTS)('there are tests that begin with %s', (start) => {
  expect(TEST_FILES.filter((path) => relative(ROOT, path).startsWith(start)).length).toBeGreaterThan(0);
});
