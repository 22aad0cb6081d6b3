import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExchangeRecord } from '@winnow/core';
import { expect, onTestFinished, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves when the output contains this text. */
  readonly shows: (text: string) => Promise<void>;
  readonly exitCode: Promise<number | null>;
}

function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, PROXY_RECORDS_FILE: 'none', ...environment },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  const waiting: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      output += piece;
      for (const check of waiting) check();
    });
  }
  return {
    child,
    output: () => output,
    shows: (text) =>
      new Promise((resolve) => {
        const check = () => {
          if (output.includes(text)) resolve();
        };
        waiting.push(check);
        check();
      }),
    exitCode: new Promise((resolve) => child.once('close', resolve)),
  };
}

test('prints its address and the base URLs, and stops on a signal', async () => {
  const { child, output, shows, exitCode } = run([], { PROXY_SERVER_PORT: '0' });
  await shows('anthropic/… goes to https://api.anthropic.com');
  expect(output()).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+ \(strategy api\)/);
  expect(output()).toMatch(/OpenAI clients: {4}base URL http:\/\/127\.0\.0\.1:\d+\/v1\n/);
  expect(output()).toMatch(/Anthropic clients: base URL http:\/\/127\.0\.0\.1:\d+\n/);
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
});

test('continues after the reader of its records has gone', async () => {
  const { child, shows, output } = run([], {
    PROXY_SERVER_PORT: '0',
    // Port 9 is `discard`, and nothing listens there.
    PROXY_UPSTREAMS_OPENAI_BASE_URL: 'http://127.0.0.1:9',
  });
  await shows('anthropic/… goes to');
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output())!;
  child.stdout!.destroy();
  // The first line breaks the pipe, and the second finds it broken; there is one about the upstream in
  // addition to the records.
  for (let time = 0; time < 3; time++) {
    expect((await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}' })).status).toBe(502);
  }
  // Records gather for a moment before they are written.
  const metrics = async () => (await fetch(`${url}/_winnow/metrics`)).text();
  while (!/winnow_proxy_records_dropped_total\{to="stdout"\} [2-4]\n/.test(await metrics()));
  child.kill('SIGTERM');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});

test('writes all records before it ends', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-proxy-')), 'records.jsonl');
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const { child, shows, output, exitCode } = run([], {
    PROXY_SERVER_PORT: '0',
    PROXY_RECORDS_FILE: file,
    PROXY_UPSTREAMS_OPENAI_BASE_URL: 'http://127.0.0.1:9',
  });
  await shows('anthropic/… goes to');
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output())!;
  for (let time = 0; time < 3; time++) {
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}' })).text();
  }
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const records = lines.map((line) => ExchangeRecord.parse(JSON.parse(line)));
  expect(records.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
});

test('prints its configuration without secrets', async () => {
  const { output, exitCode } = run(['--print-config'], { PROXY_UPSTREAMS_OPENAI_API_KEY: 'hunter2' });
  expect(await exitCode).toBe(0);
  expect(output()).toContain('upstreams.openai.api_key: $' + '{PROXY_UPSTREAMS_OPENAI_API_KEY}');
  expect(output()).not.toContain('hunter2');
});

test('names the file where several of its settings together cannot work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-main-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'proxy.yaml');
  writeFileSync(file, 'upstreams: { mine: { base_url: "http://127.0.0.1:9" } }');
  const { output, exitCode } = run(['--config', file]);
  expect(await exitCode).toBe(2);
  expect(output()).toContain('upstreams.mine.format must be set');
  expect(output()).toContain(`The settings come from ${file} and from environment variables.`);
});

test.each([
  [[], { PROXY_SERVER_PORT: 'x' }, 2, 'winnow proxy: PROXY_SERVER_PORT must be a whole number'],
  [
    ['--config', '/no/such.yaml'],
    {},
    2,
    'winnow proxy: The configuration file /no/such.yaml cannot be read.',
  ],
  [['--confg', 'x'], {}, 2, 'There are --config FILE, --print-config, --version and --help.'],
  [
    [],
    { PROXY_SERVER_HOST: '192.0.2.1' },
    1,
    'server.host and server.port must name an address to listen on',
  ],
])('refuses to start with %o %o', async (args, environment, code, message) => {
  const { output, exitCode } = run(args, environment);
  expect(await exitCode).toBe(code);
  expect(output()).toContain(message);
});

test('prints its usage on request', async () => {
  const { output, exitCode } = run(['--help']);
  expect(await exitCode).toBe(0);
  expect(output()).toMatch(/^Usage: .*--config FILE .*--print-config .*--help .*\n$/s);
});

test('prints its version on request', async () => {
  const { output, exitCode } = run(['--version']);
  expect(await exitCode).toBe(0);
  expect(output()).toMatch(/^winnow proxy \d+\.\d+\.\d+\n$/);
});

test('takes settings over on SIGHUP and when their file has changed, and refuses a bad file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-reload-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'winnow.yaml');
  writeFileSync(file, 'rollout: { mode: full }');
  const { child, shows, output, exitCode } = run(['--config', file], { PROXY_SERVER_PORT: '0' });
  await shows('listens on');
  writeFileSync(file, 'rollout: { mode: off }\nserver: { max_body: 1MiB }');
  child.kill('SIGHUP');
  await shows('"event":"settings_reloaded","changed":["rollout.mode"],"needsRestart":["server.max_body"]');
  writeFileSync(file, 'rollout: { mode: sometimes }\nserver: { tokens: [hush-hush] }');
  await shows(`"event":"settings_refused","problems":["${file}: Line 1: rollout.mode must be`);
  writeFileSync(file, 'rollout: { mode: dark }');
  await shows('"changed":["rollout.mode"],"needsRestart":[]');
  expect(output()).not.toContain('hush-hush');
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
});

test('takes over secrets of files when these change, and nothing of a bad one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, token] = ['winnow.yaml', 'token'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(token, 'hush-one\n');
  writeFileSync(file, `server: { tokens: "\${file:${token}}" }`);
  const { child, shows, output, exitCode } = run(['--config', file], { PROXY_SERVER_PORT: '0' });
  await shows('listens on');
  const [, url] = /listens on (http:\S+)/.exec(output())!;
  const statusOf = async (key: string) =>
    (await fetch(`${url}/no-upstream`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect([await statusOf('hush-one'), await statusOf('hush-two')]).toEqual([404, 401]);
  writeFileSync(token, 'hush-two\n');
  await shows('"event":"settings_reloaded","changed":["server.tokens"],"needsRestart":[]');
  expect([await statusOf('hush-one'), await statusOf('hush-two')]).toEqual([401, 404]);
  writeFileSync(token, '\n');
  await shows(`server.tokens needs the file ${token}, which is empty."]`);
  expect(await statusOf('hush-two')).toBe(404);
  expect(output()).not.toContain('hush');
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
});
