import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runVitest } from './run-vitest.ts';

test('tests that fail at first and then pass are named, one line each', async () => {
  const run = runVitest({
    files: {
      'some.test.ts': `let runs = 0;
        test('of a slow machine', () => { runs += 1; if (runs < 2) throw new Error('too slow'); });
        test('of nothing', () => {});`,
    },
    config: { retry: 1, globalSetup: resolve(import.meta.dirname, 'tell-retried.ts') },
  });
  expect(await run.ended).toBe(0);
  expect(run.output().match(/failed at first, then passed: .*/g)).toEqual([
    'failed at first, then passed: some.test.ts > of a slow machine',
  ]);
});
