import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runVitest } from './run-vitest.ts';

/** Runs the tests of some files on a machine without any of the programs. */
async function runWithoutPrograms(ci: string, file: string, without = '') {
  const run = runVitest({
    files: {
      'redis.test.ts': `test('of Redis', { tags: 'redis' }, () => { throw new Error('no Redis'); });`,
      'helm.test.ts': `test('of the chart', { tags: 'helm' }, () => { throw new Error('no Helm'); });`,
      'forgotten.test.ts': `test.skip('of a day long gone', () => {}); test('of today', () => {});`,
      'plain.test.ts': `test('of nothing', () => {});`,
    },
    config: {
      tags: [
        { name: 'redis', skip: true },
        { name: 'helm', skip: true },
      ],
      globalSetup: resolve(import.meta.dirname, 'tell-skipped.ts'),
      include: [file],
    },
    environment: { PATH: '/nowhere', CI: ci, WINNOW_WITHOUT: without },
  });
  return { code: await run.ended, output: run.output() };
}

const SKIPPED =
  /^redis-server is not installed: skipped 1 test \(.*\)\. To run them: apt-get install redis-server$/m;

test('a run without Redis passes, and says in one line what was skipped and how to install it', async () => {
  const { code, output } = await runWithoutPrograms('', '{redis,plain}.test.ts');
  expect(output).toContain('1 passed | 1 skipped');
  expect(output).toMatch(SKIPPED);
  expect(output.match(/is not installed/g)).toHaveLength(1);
  expect(code).toBe(0);
});

test('with CI set that is a failure', async () => {
  const { code, output } = await runWithoutPrograms('true', '{redis,plain}.test.ts');
  expect(output).toMatch(SKIPPED);
  expect(code).toBe(1);
});

test('a run of tests that need none passes in silence, with CI set as well', async () => {
  const { code, output } = await runWithoutPrograms('true', 'plain.test.ts');
  expect(output).not.toContain('is not installed');
  expect(code).toBe(0);
});

const NO_HELM = /^not available here: Helm; skipped 1 test \(the chart\)$/m;

test.each([
  ['without CI', '', ''],
  ['where the configuration of the CI does without it', 'true', 'letta, helm'],
])('a missing part is named in one line, and is no failure %s', async (_, ci, without) => {
  const { code, output } = await runWithoutPrograms(ci, '{helm,plain}.test.ts', without);
  expect(output).toMatch(NO_HELM);
  expect(code).toBe(0);
});

test('with CI set, a missing part is a failure, which names the way to do without', async () => {
  const { code, output } = await runWithoutPrograms('true', '{helm,plain}.test.ts', 'letta');
  expect(output).toMatch(NO_HELM);
  expect(output).toContain('WINNOW_WITHOUT=helm');
  expect(code).toBe(1);
});

test('with CI set, a test that is skipped without a reason is a failure, and is named', async () => {
  const { code, output } = await runWithoutPrograms('true', 'forgotten.test.ts');
  expect(output).toContain('skipped without a reason: of a day long gone');
  expect(code).toBe(1);
});
