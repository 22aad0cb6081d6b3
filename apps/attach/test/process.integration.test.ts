import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Runs the service with nothing but these settings, until it has said enough or ends. */
function run(environment: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return { child, said: () => said, ended: once(child, 'exit') };
}

test('takes its settings from the environment, and ends on SIGTERM', async () => {
  const { child, said, ended } = run({
    ATTACH_SERVER_PORT: '0',
    ATTACH_LETTA_BASE_URL: 'http://127.0.0.1:9',
  });
  await expect.poll(said, { timeout: 20_000 }).toContain('Letta server at http://127.0.0.1:9');
  expect(said()).not.toContain(':8790');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('does not start where everybody could change every agent', async () => {
  const { said, ended } = run({ ATTACH_SERVER_PORT: '0', ATTACH_SERVER_HOST: '0.0.0.0' });
  expect(await ended).toEqual([2, null]);
  expect(said()).toContain('server.tokens must be set');
});
