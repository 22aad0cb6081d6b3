import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../deploy/start-process.ts';
import { runVitest } from '../run-vitest.ts';
import { descendantsOf, type ProcessState, stillRunning } from './process-tree.ts';

/** The path of a file in this folder, as a literal. */
const literal = (path: string) => JSON.stringify(resolve(import.meta.dirname, '../..', path));

/** Waits until services respond; no sleep is needed, because each attempt takes time. */
const untilTheyAnswer = (...ports: readonly number[]) => `
  for (const port of ${JSON.stringify(ports)})
    while (!(await fetch('http://127.0.0.1:' + port + '/healthz').catch(() => undefined)));
`;

/**
 * A service in its own process group, behind a shell. It writes to the output of the test run, and so keeps
 * it open as long as it lives.
 */
const serviceOn = (port: number) => `
  import { spawn } from 'node:child_process';
  spawn('sh', ['-c', '"$0" "$1" & wait', process.execPath, ${literal('apps/selector/src/main.ts')}], {
    env: { SELECTOR_SERVER_PORT: '${port}' },
    stdio: 'inherit',
    detached: true,
  });
  ${untilTheyAnswer(port)}
`;

/** All programs that tests start: both services under npm, Redis, a browser. */
const everythingOn = (selectorPort: number, proxyPort: number) => `
  import { spawn } from 'node:child_process';
  import { startRedis } from ${literal('packages/testkit/src/index.ts')};
  import { openBrowser } from ${literal('apps/report/test/open-browser.ts')};
  spawn('npm', ['start'], {
    cwd: ${literal('.')},
    env: { ...process.env, SELECTOR_SERVER_PORT: '${selectorPort}', PROXY_SERVER_PORT: '${proxyPort}' },
    stdio: 'inherit',
  });
  await startRedis();
  await openBrowser();
  ${untilTheyAnswer(selectorPort, proxyPort)}
`;

const FOREVER = 'await new Promise(() => {});';

/** The settings in vitest.config.ts against leftovers. */
const WITH_REAPER = {
  globalSetup: resolve(import.meta.dirname, 'start-reaper.ts'),
  setupFiles: [resolve(import.meta.dirname, 'register-processes.ts')],
  provide: { fileLimitMs: 300_000 },
};

interface TestFile {
  /** The programs that it starts. */
  readonly starts: string;
  /** The test's action when all of them run. */
  readonly does: string;
  /** Other files that run meanwhile. */
  readonly others?: Readonly<Record<string, string>>;
  readonly isUnderNpm?: boolean;
  /** Timeouts of its test and of the file. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Runs a test file until everything that it starts is running, and records all processes. */
async function runTestFile({ starts, does, others, isUnderNpm = false, config }: TestFile) {
  const text = `${starts}\ntest('one', async () => { process.stdout.write('All runs.'); ${does} });`;
  const run = runVitest({
    files: { 'one.test.ts': text, ...others },
    config: { ...WITH_REAPER, ...config },
    isUnderNpm,
  });
  await run.says('All runs.');
  return { ...run, processes: descendantsOf(run.process.pid!) };
}

async function nothingIsLeft(processes: readonly ProcessState[]): Promise<void> {
  await expect.poll(() => stillRunning(processes), { timeout: 10_000 }).toEqual([]);
}

const isSelector = ({ command }: ProcessState) => command.includes('selector/src/main.ts');

describe('nothing is left of a test run', { timeout: 60_000, tags: ['linux'] }, () => {
  test('that is killed with everything running that tests start', {
    tags: ['redis', 'chromium'],
  }, async () => {
    const starts = everythingOn(await findFreePort(), await findFreePort());
    const run = await runTestFile({ starts, does: FOREVER, config: { testTimeout: 60_000 } });
    const commands = run.processes.map(({ command }) => command).join('\n');
    for (const part of ['npm start', 'selector/src/main.ts', 'proxy/src/main.ts', 'redis-server', 'chromium'])
      expect(commands).toContain(part);
    run.process.kill('SIGKILL');
    await run.ended;
    await nothingIsLeft(run.processes);
  });

  test('whose whole group of processes is killed', async () => {
    const run = await runTestFile({ starts: serviceOn(await findFreePort()), does: FOREVER });
    run.signalGroup('SIGKILL');
    await run.ended;
    await nothingIsLeft(run.processes);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('that gets %s', async (signal) => {
    const run = await runTestFile({ starts: serviceOn(await findFreePort()), does: FOREVER });
    run.process.kill(signal);
    expect(await run.ended).not.toBe(0);
    await nothingIsLeft(run.processes);
  });

  test('whose npm is killed', async () => {
    const starts = serviceOn(await findFreePort());
    const run = await runTestFile({
      starts,
      does: FOREVER,
      isUnderNpm: true,
      config: { testTimeout: 60_000 },
    });
    run.process.kill('SIGKILL');
    await run.ended;
    await nothingIsLeft(run.processes);
  });

  test('with a test that times out; the run ends, and names what was left running', async () => {
    const run = await runTestFile({
      starts: serviceOn(await findFreePort()),
      does: FOREVER,
      config: { testTimeout: 2_000 },
    });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/one\.test\.ts has left these processes running.*selector\/src\/main\.ts/s);
    await nothingIsLeft(run.processes);
  });

  test('with a test that lets nothing else run; the run ends, and names the file', async () => {
    const run = await runTestFile({
      starts: serviceOn(await findFreePort()),
      does: 'for (;;);',
      config: { provide: { fileLimitMs: 8_000 } },
    });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('one.test.ts has not ended within 8 s and is killed.');
    await nothingIsLeft(run.processes);
  });

  test('one of whose workers is killed, even while the others continue', async () => {
    const run = await runTestFile({
      starts: serviceOn(await findFreePort()),
      does: FOREVER,
      others: { 'other.test.ts': `test('other', async () => { ${FOREVER} });` },
      config: { testTimeout: 60_000 },
    });
    const worker = run.processes.find(({ pid }) => descendantsOf(pid).some(isSelector))!;
    process.kill(worker.pid, 'SIGKILL');
    await nothingIsLeft(run.processes.filter(isSelector));
    expect(run.process.exitCode).toBeNull();
  });
});

test('a process that has ended is forgotten while the run continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-ended-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = runVitest({
    files: {
      'quick.test.ts': `test('quick', () => {});`,
      'slow.test.ts': `test('slow', async () => { process.stdout.write('Slow runs.'); ${FOREVER} });`,
    },
    config: { ...WITH_REAPER, testTimeout: 60_000, maxWorkers: 2 },
    environment: { TMPDIR: folder },
  });
  const registered = () => globSync('winnow-test-run-*/processes/*', { cwd: folder });
  await Promise.all([run.says('quick.test.ts'), run.says('Slow runs.')]);
  await expect.poll(registered, { timeout: 10_000 }).toHaveLength(1);
  expect(run.process.exitCode).toBeNull();
});

test('a test file that ends what it has started passes', async () => {
  const starts = `import { spawn } from 'node:child_process'; import { once } from 'node:events';`;
  const run = runVitest({
    files: { 'one.test.ts': `${starts} test('one', () => once(spawn('true'), 'exit'));` },
    config: WITH_REAPER,
  });
  expect(await run.ended).toBe(0);
});
