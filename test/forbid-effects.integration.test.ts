import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runVitest } from './run-vitest.ts';

const IMPORTS = `
  import { exec, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
  import { createSocket } from 'node:dgram';
  import { request } from 'node:http';
  import { connect, createServer } from 'node:net';
  import { connect as connectTls } from 'node:tls';
`;

const SET_UP = `
  import { failWhereForbidden } from ${JSON.stringify(resolve(import.meta.dirname, 'forbid-effects.ts'))};
  failWhereForbidden();
`;

/** Runs unit tests with these bodies, and returns the failure of each; none for one that passed. */
async function runUnitTests(bodies: readonly string[]): Promise<Record<string, string>> {
  const tests = bodies.map((body) => `test(${JSON.stringify(body)}, async () => { ${body}; });`);
  const { ended, folder } = runVitest({
    files: { 'some.test.ts': [IMPORTS, ...tests].join('\n'), 'set-up.ts': SET_UP },
    config: {
      setupFiles: ['set-up.ts'],
      reporters: ['json'],
      outputFile: 'results.json',
    },
  });
  await ended;
  const { testResults } = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as {
    testResults: { assertionResults: { title: string; failureMessages: string[] }[] }[];
  };
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  return Object.fromEntries(results.map(({ title, failureMessages }) => [title, failureMessages.join('\n')]));
}

test('a unit test that starts a process or opens a socket fails and names the rule', async () => {
  const deeds = {
    'spawn("true")': 'started a process',
    'exec("true")': 'started a process',
    'fork("nothing.js")': 'started a process',
    'spawnSync("true")': 'started a process',
    'execFileSync("true")': 'started a process',
    'connect(4321, "127.0.0.1")': 'opened a socket',
    'connectTls(4321, "127.0.0.1")': 'opened a socket',
    'createSocket("udp4").bind()': 'opened a socket',
    'request("http://127.0.0.1:4321")': 'opened a socket',
    'await fetch("http://127.0.0.1:4321")': 'opened a socket',
    // Code that continues after a forbidden effect.
    'await fetch("http://127.0.0.1:4321").catch(() => undefined)': 'opened a socket',
    'createServer().listen(0)': 'listened on a socket',
  };
  const failures = await runUnitTests(Object.keys(deeds));
  expect(failures).toEqual(
    Object.fromEntries(
      Object.entries(deeds).map(([body, deed]) => [
        body,
        expect.stringContaining(
          `A unit test ${deed}. Tests that do live in files named *.integration.test.ts`,
        ),
      ]),
    ),
  );
});

test('a unit test that does neither passes', async () => {
  const body = 'expect(await Promise.resolve(1)).toBe(1)';
  expect(await runUnitTests([body])).toEqual({ [body]: '' });
});
