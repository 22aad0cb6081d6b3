import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './source-files.ts';

const GOOD = 'echo "     Tests  3 passed (3)"';

/**
 * Runs `.ci/run` with a stand-in for npm that follows instructions for each command, and with every program
 * installed.
 */
function runCi(commands: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-ci-'));
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  cpSync(join(ROOT, '.ci'), join(folder, '.ci'), { recursive: true });
  const cases = Object.entries({ 'run test': GOOD, 'run test:all': GOOD, ...commands }).map(
    ([name, does]) => `'${name}') ${does} ;;`,
  );
  const npm = `#!/bin/sh\necho "$*" >>"${folder}/called"\ncase "$*" in\n${cases.join('\n')}\nesac\n`;
  writeFileSync(join(programs, 'npm'), npm, { mode: 0o755 });
  for (const name of ['redis-server', 'chromium', 'openssl', 'python3', 'initdb', 'helm'])
    writeFileSync(join(programs, name), '', { mode: 0o755 });
  const { stdout, status } = spawnSync(join(folder, '.ci/run'), options, {
    env: { PATH: `${programs}${delimiter}${process.env.PATH}`, HOME: folder },
    encoding: 'utf8',
  });
  const called = spawnSync('cat', [join(folder, 'called')], { encoding: 'utf8' }).stdout;
  return {
    status,
    lastLine: stdout.trimEnd().split('\n').at(-1),
    stdout,
    called: called.trimEnd().split('\n'),
  };
}

const BENCH = 'run -s bench:proxy -- --quick --only no-tools';
const BEFORE_TESTS = ['ci', 'run -s fetch:mcp-servers', 'run -s lint', 'run -s types', BENCH];

test('installs once, fetches the servers that others wrote, then runs linter, type checker, a bench that cannot fail, and the tests', () => {
  const { status, lastLine, called } = runCi({ [BENCH]: 'exit 1' });
  expect(lastLine).toBe('3 passed, 0 failed');
  expect(status).toBe(0);
  expect(called).toEqual([...BEFORE_TESTS, 'run test']);
});

test('runs every test at night', () => {
  const { lastLine, called } = runCi({}, 'test:all');
  expect(lastLine).toBe('3 passed, 0 failed');
  expect(called).toEqual([...BEFORE_TESTS, 'run test:all']);
});

test.each([
  ['run -s lint', 'The linter has failed.'],
  ['run -s types', 'The type checker has failed.'],
])('fails where npm %s does, and runs the tests all the same', (command, says) => {
  const { status, lastLine, stdout } = runCi({ [command]: 'echo bad.ts:1; exit 1' });
  expect(stdout).toContain('bad.ts:1');
  expect(stdout).toContain(says);
  expect(lastLine).toBe('3 passed, 1 failed');
  expect(status).toBe(1);
});

test.each([
  ['fail', 'echo "      Tests  2 failed | 3 passed (5)"; exit 1', '3 passed, 2 failed'],
  ['do not start', 'echo "Startup Error"; exit 1', '0 passed, 1 failed'],
  ['leave an error behind that no test has', `${GOOD}; exit 1`, '3 passed, 1 failed'],
])('fails where the tests %s', (_, tests, line) => {
  const { status, lastLine } = runCi({ 'run test': tests });
  expect(lastLine).toBe(line);
  expect(status).toBe(1);
});

test('fails where nothing can be installed, and runs nothing', () => {
  const { status, lastLine, called } = runCi({ ci: 'exit 1' });
  expect(lastLine).toBe('0 passed, 1 failed');
  expect(status).toBe(1);
  expect(called).toEqual(['ci']);
});
