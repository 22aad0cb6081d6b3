import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { answer, memberText, say, startUpstream, type UpstreamOptions } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';

/** Runs commands behind a proxy of their own: unmodified SDKs, and programs that end in every way. */

const MAIN = join(import.meta.dirname, '../apps/proxy/src/launch-main.ts');
const AGENT = [process.execPath, join(import.meta.dirname, 'launch/agent.ts')];
const PATIENCE = { timeout: 30_000 };

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `winnow run`, in a home of its own. */
function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'winnow-launch-'));
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: home,
    env: { PATH: process.env.PATH!, HOME: home, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      texts[name] += piece;
      for (const check of waiting) check();
    });
  }
  const ended = new Promise<Outcome>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(home, { recursive: true, force: true });
  });
  /** Resolves to the match, as soon as stdout has one. */
  const says = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      const check = () => {
        const found = pattern.exec(texts.stdout);
        if (found) resolve(found);
      };
      waiting.add(check);
      check();
    });
  return { child, home, ended, says };
}

/** Writes a program, and returns the command that runs it. */
function program(code: string): readonly string[] {
  return [process.execPath, '--input-type=module', '-e', code];
}

async function startProvider(options: Partial<UpstreamOptions> = {}) {
  const upstream = await startUpstream({ model: () => answer([say('All is well.')]), ...options });
  onTestFinished(() => upstream.close());
  return upstream;
}

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-of-the-test' };
const AWS = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
};

test.each([
  ['openai', { OPENAI_API_KEY: 'sk' }, 'OPENAI_BASE_URL', '/v1'],
  ['responses', { OPENAI_API_KEY: 'sk' }, 'OPENAI_BASE_URL', '/team/7/v1'],
  ['azure', { AZURE_OPENAI_API_KEY: 'key' }, 'AZURE_OPENAI_ENDPOINT', ''],
  ['anthropic', { ANTHROPIC_API_KEY: 'sk-ant' }, 'ANTHROPIC_BASE_URL', ''],
  ['ai-sdk-anthropic', { ANTHROPIC_API_KEY: 'sk-ant' }, 'ANTHROPIC_BASE_URL', '/v1'],
  ['gemini', { GEMINI_API_KEY: 'key' }, 'GOOGLE_GEMINI_BASE_URL', ''],
  ['ollama', {}, 'OLLAMA_BASE_URL', ''],
  ['bedrock', AWS, 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME', ''],
])('%s needs no change, and its gateway is kept', PATIENCE, async (sdk, keys, variable, path) => {
  const provider = await startProvider(
    sdk === 'bedrock' ? { signing: { ...KEYS, region: AWS.AWS_REGION, service: 'bedrock' } } : {},
  );
  const words = ['--goal', 'context', '--', ...AGENT, sdk];
  const { ended, home } = start(words, { ...keys, [variable]: `${provider.url}${path}` });
  const { code, stdout, stderr } = await ended;
  expect(stderr).toMatch(
    /^winnow: 1 request: 0 of 40 tools shown in each, about [\d,]+ tokens of tools fewer, 0 searches, .*; records: /m,
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'All is well.\n' });
  expect(provider.rejected()).toEqual([]);
  const [asked] = provider.requests;
  expect(asked!.path.startsWith(path)).toBe(true);
  const sent = memberText(asked!.text, sdk === 'bedrock' ? 'toolConfig' : 'tools') ?? '';
  expect(sent).toContain('gateway_search_tools');
  expect(sent.match(/"tool_\d+"/g) ?? []).toHaveLength(0);
  // The records are the user's own.
  const folder = join(home, '.local/state/winnow/runs');
  const [file, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const lines = readFileSync(join(folder, file!), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'tool_list' },
    { event: 'exchange', tools: { total: 40 } },
  ]);
});

test('ends like the command: by its code, or by its signal', PATIENCE, async () => {
  const byCode = start(program('console.error("own"); process.exit(7)'));
  expect(await byCode.ended).toMatchObject({
    code: 7,
    signal: null,
    stderr: 'own\nwinnow: no request to a model came through Winnow\n',
  });
  const bySignal = start(program('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)'));
  expect(await bySignal.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
});

test('names a command that does not exist, or cannot be run, as shells do', PATIENCE, async () => {
  expect(await start(['no-such-command']).ended).toMatchObject({
    code: 127,
    stderr: 'winnow: no-such-command: command not found\n',
  });
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-plain-')), 'plain.txt');
  onTestFinished(() => rmSync(join(file, '..'), { recursive: true }));
  writeFileSync(file, 'no program');
  chmodSync(file, 0o600);
  expect(await start([file]).ended).toMatchObject({
    code: 126,
    stderr: `winnow: ${file}: cannot be run (EACCES)\n`,
  });
});

test('says in one line why it cannot start, or runs the command without Winnow', PATIENCE, async () => {
  const command = program('console.log(process.env.OPENAI_BASE_URL ?? "direct")');
  const missing = ['--config', 'missing.yaml'];
  expect(await start([...missing, '--', ...command]).ended).toEqual({
    code: 125,
    signal: null,
    stdout: '',
    stderr: 'winnow: Winnow could not start: The configuration file missing.yaml cannot be read.\n',
  });
  expect(await start(['--or-direct', ...missing, '--', ...command]).ended).toMatchObject({
    code: 0,
    stdout: 'direct\n',
    stderr: expect.stringMatching(/^winnow: [^\n]* The command runs without Winnow\.\n$/),
  });
  expect(await start([]).ended).toMatchObject({ code: 125, stderr: expect.stringContaining('--help') });
  expect(await start(['copilot']).ended).toMatchObject({
    code: 124,
    stderr: expect.stringMatching(/^winnow: GitHub Copilot CLI [^\n]*COPILOT_PROVIDER_BASE_URL[^\n]*\n$/),
  });
});

test('ends if it cannot write the files of a command after its proxy has started', PATIENCE, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-claude-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Claude Code is redirected by a file, as its own settings stand above variables.
  const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ env }));
  const claude = join(folder, 'claude');
  writeFileSync(claude, '#!/bin/sh\necho direct', { mode: 0o755 });
  const place = { CLAUDE_CONFIG_DIR: folder, TMPDIR: join(folder, 'missing') };
  const refused = await start([claude], place).ended;
  expect([refused.code, refused.stdout]).toEqual([125, '']);
  expect(refused.stderr).toMatch(/^winnow: Winnow could not start: .*\n$/);
  const direct = await start(['--or-direct', claude], place).ended;
  expect([direct.code, direct.stdout]).toEqual([0, 'direct\n']);
});

test('reads no settings from the working directory, which may be a foreign project', PATIENCE, async () => {
  const { ended } = start(
    program(
      'const { writeFileSync } = await import("node:fs"); writeFileSync("winnow.yaml", "nonsense: 1"); process.exitCode = (await import("node:child_process")).spawnSync(process.execPath, [process.argv[1], process.execPath, "-e", "0"], { stdio: "inherit" }).status',
    ).concat(MAIN),
  );
  expect(await ended).toMatchObject({ code: 0 });
});

test('serves its command alone: other paths lead nowhere', PATIENCE, async () => {
  const provider = await startProvider();
  const code = `
    const own = new URL(process.env.OPENAI_BASE_URL);
    const statuses = [];
    for (const path of ['/', '/v1/models', '/openai/v1/models', '/_winnow/healthz', '/_winnow/metrics', '/' + '0'.repeat(32) + '/v1/models']) {
      statuses.push((await fetch(own.origin + path)).status);
    }
    console.log(statuses.join(), own.hostname, (await fetch(own + '/models')).status);`;
  const { stdout } = await start(program(code), { OPENAI_BASE_URL: `${provider.url}/v1` }).ended;
  expect(stdout).toMatch(/^404,404,404,404,404,404 127\.0\.0\.1 (?!404)\d+\n$/);
  expect(provider.requests.length).toBe(1);
});

test('passes signals on', PATIENCE, async () => {
  const code =
    'process.on("SIGTERM", () => process.exit(3)); setInterval(() => {}, 1000); console.log("ready")';
  const { child, ended, says } = start(program(code));
  await says(/ready/);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 3, signal: null });
});

test('leaves nothing behind when it is killed: neither its proxy nor the command', PATIENCE, async () => {
  const code = 'setInterval(() => {}, 1000); console.log(process.pid, process.env.OPENAI_BASE_URL)';
  const { child, says } = start(program(code));
  const [, processId, address] = await says(/(\d+) (\S+)\n/);
  child.kill('SIGKILL');
  while (isRunning(Number(processId))) await wait(20);
  await expect(fetch(address!)).rejects.toThrow();
});

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

test('goes through the HTTP proxy of the environment, and the command does not', PATIENCE, async () => {
  const provider = await startProvider();
  const asked: string[] = [];
  const between = createServer((incoming, outgoing) => {
    asked.push(incoming.url!);
    const { pathname } = new URL(incoming.url!);
    const { method, headers } = incoming;
    const onwards = request(`${provider.url}${pathname}`, { method: method!, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void between.close());
  const { ended } = start([...AGENT, 'openai'], {
    OPENAI_API_KEY: 'sk',
    OPENAI_BASE_URL: 'http://gateway.example/v1',
    HTTP_PROXY: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    // As Node's own clients then use the proxy.
    NODE_USE_ENV_PROXY: '1',
  });
  expect(await ended).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  expect(asked).toEqual(['http://gateway.example/v1/chat/completions']);
});
