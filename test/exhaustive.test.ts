import { basename, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { filesWith, TEST_FILES } from './files-with.ts';
import { ROOT } from './source-files.ts';

const sampling = filesWith(/inject\('isExhaustive'\)/, TEST_FILES).filter(
  (path) => !path.endsWith('.integration.test.ts'),
);

test.each(sampling.map((path) => relative(ROOT, path)))(
  'what is sampled in %s is tried in full by an integration test beside it',
  (path) => {
    const beside = join(ROOT, path).replace(/\.test\.ts$/, '.integration.test.ts');
    expect(TEST_FILES).toContain(beside);
    expect(filesWith(new RegExp(`^import './${basename(path)}';$`, 'm'), [beside])).toEqual([beside]);
  },
);
