import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMATS } from '../../src/formats.ts';
import { folderOf, GOLDEN_CASES, runGoldenCase } from './golden-case.ts';

// After a change that is meant to be seen: `npm run golden -- --write`, and read the difference.
test.each(GOLDEN_CASES)('writes the content of the files of %s', (name) => {
  const folder = folderOf(name);
  const files = globSync('*-out*', { cwd: folder });
  const shown = files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
  expect(Object.fromEntries(runGoldenCase(name))).toEqual(Object.fromEntries(shown));
});

test.each(FORMATS.map(({ name, loading }) => ({ name, loading })))(
  'shows requests, rounds and calls of $name',
  ({ name, loading }) => {
    const rounds = ['search-and-call', 'search-round', 'search-round-stream'];
    const wanted = [...rounds, ...loading.modes.map((mode) => `text-${mode}`)];
    expect(GOLDEN_CASES).toEqual(expect.arrayContaining(wanted.map((one) => `${name}/${one}`)));
  },
);
