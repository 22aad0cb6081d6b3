import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo, searchHead } from './raw-exchange.ts';
import { post, TOOLS } from './start.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The program with these settings and no others, as far as it has come. */
function run(environment: Record<string, string>, words: readonly string[] = []) {
  const child = spawn(process.execPath, [MAIN, ...words], { env: environment });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const closed = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, output, closed };
}

async function runUntilItListens(environment: Record<string, string> = {}) {
  const running = run({ SELECTOR_SERVER_PORT: '0', ...environment });
  while (!running.output.stderr.includes('try: ')) {
    const ending = await Promise.race([once(running.child.stderr, 'data'), running.closed]);
    if ('code' in ending) throw new Error(`it ended: ${running.output.stderr}`);
  }
  const url = /listens on (\S+),/.exec(running.output.stderr)?.[1] ?? '';
  const command = /^try: (.*)$/m.exec(running.output.stderr)?.[1] ?? '';
  return { ...running, url, command };
}

describe('the program', () => {
  it('prints its address, and a command that works unchanged', async () => {
    const { url, command, output } = await runUntilItListens();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toEqual({ selected_names: ['create_pull_request'] });
    expect(output.stderr).not.toContain('warning');
  });

  it('warns when anyone can reach it', async () => {
    const { output, command } = await runUntilItListens({ SELECTOR_SERVER_HOST: '0.0.0.0' });
    expect(output.stderr).toContain('warning: 0.0.0.0 can be reached from other machines');
    expect(command).toContain('http://127.0.0.1:');
  });

  it('says how it is started when it is asked', async () => {
    const { output, closed } = run({}, ['--help']);
    expect(await closed).toEqual({ code: 0, signal: null });
    expect(output.stdout).toMatch(/^Usage: .*environment variable/s);
  });

  it('refuses options instead of ignoring them', async () => {
    const { output, closed } = run({ SELECTOR_SERVER_PORT: '0' }, ['--port', '9000']);
    expect(await closed).toEqual({ code: 2, signal: null });
    expect(output.stderr).toMatch(
      /^winnow selector: There are --config FILE, --print-config, --version and --help\. Every setting has .*_PORT/m,
    );
  });

  it('says its version when it is asked', async () => {
    const { output, closed } = run({}, ['--version']);
    expect(await closed).toEqual({ code: 0, signal: null });
    expect(output.stdout).toMatch(/^winnow selector \d+\.\d+\.\d+\n$/);
  });

  it('keeps running after the reader of its log is gone', async () => {
    const { child, url } = await runUntilItListens();
    child.stdout.destroy();
    // The first line breaks the pipe, the second finds it broken.
    for (let time = 0; time < 3; time++) {
      const { status } = await post(`${url}/v1/tool-discovery/search`, { pattern: 'weather', tools: TOOLS });
      expect(status).toBe(200);
    }
    expect(child.exitCode).toBe(null);
  });

  it('does not warn when tokens are needed, and does not print them', async () => {
    const { output, command } = await runUntilItListens({
      SELECTOR_SERVER_HOST: '0.0.0.0',
      SELECTOR_SERVER_TOKENS: 'hush',
    });
    expect(output.stderr).not.toContain('warning');
    expect(output.stderr).not.toContain('hush');
    expect(command).toContain(`-H 'authorization: Bearer YOUR_TOKEN'`);
  });

  it('does not start with invalid settings, and names them all', async () => {
    const { output, closed } = run({ SELECTOR_SERVER_PORT: 'eighty', SELECTOR_TOKEN: 'x' });
    expect(await closed).toEqual({ code: 2, signal: null });
    expect(output.stderr).toBe(
      'winnow selector: SELECTOR_SERVER_PORT must be a whole number from 0 to 65535.\n' +
        'winnow selector: SELECTOR_TOKEN is not a setting; the nearest one is SELECTOR_SERVER_TOKENS.\n',
    );
    expect(output.stdout).toBe('');
  });

  it('does not start on an address that is taken', async () => {
    const { url } = await runUntilItListens();
    const { output, closed } = run({ SELECTOR_SERVER_PORT: new URL(url).port });
    expect(await closed).toEqual({ code: 1, signal: null });
    expect(output.stderr).toMatch(/127\.0\.0\.1:\d+ is in use by another process\./);
  });

  it('writes nothing but JSON lines to stdout', async () => {
    const { url, output, child, closed } = await runUntilItListens();
    await post(`${url}/v1/tool-discovery/search`, { pattern: 'weather', tools: TOOLS });
    child.kill('SIGTERM');
    await closed;
    const lines = output.stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).route)).toEqual(['search']);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends at once on %s when there is nothing to do',
    async (signal) => {
      const { child, closed } = await runUntilItListens();
      child.kill(signal);
      expect(await closed).toEqual({ code: 0, signal: null });
    },
  );

  it('finishes running requests on SIGTERM, and accepts no new ones', async () => {
    const { url, child, closed } = await runUntilItListens();
    const body = JSON.stringify({ pattern: 'weather', tools: TOOLS });
    const running = await connectTo(url);
    running.write(searchHead({ 'content-length': body.length, expect: '100-continue' }));
    await running.receive(/100 Continue/);
    child.kill('SIGTERM');

    // The signal arrives in its own time: ask until it has.
    while ((await fetch(`${url}/readyz`)).status === 200);
    const refused = await post(`${url}/v1/tool-discovery/search`, body);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('connection')).toBe('close');
    expect(refused.body).toMatchObject({ error: { code: 'overloaded' } });

    running.write(body);
    expect(await running.closed()).toContain('{"selected_names":["get_weather"]}');
    expect(await closed).toEqual({ code: 0, signal: null });
  });
});
