import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type MessageAnswer,
  type Model,
  playModel,
  startUpstream,
  type UpstreamOptions,
} from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { probeCommand } from '../scripts/probe/probe-command.ts';

const SCRIPT = join(import.meta.dirname, '../scripts/probe.ts');
const WANTED = 'warehouse_reserve_pallet';

/** A model that searches for the tool that it is asked to use. A cache serves part of each request. */
const modelThatBills =
  (billed: (body: { tools?: readonly { defer_loading?: boolean }[] }) => unknown): Model =>
  async (...exchange) => {
    const play = playModel({
      thinks: true,
      turns: [
        {
          steps: [
            {
              searchFor: ['reserve a pallet'],
              thenCall: [{ name: WANTED, input: { order: 4711, hall: 'C' } }],
            },
          ],
        },
        { answer: 'It was 99-C.' },
      ],
    });
    const answer = (await play(...exchange)) as MessageAnswer;
    const inputTokens = Math.ceil(JSON.stringify(billed(exchange[1].json as never)).length / 4);
    return { ...answer, usage: { inputTokens, outputTokens: 20, cacheReadTokens: 700 } };
  };

const model = modelThatBills(({ tools, ...body }) => ({
  ...body,
  tools: tools?.filter((tool) => tool.defer_loading !== true),
}));

/** Runs the command with its arguments and its environment; resolves with its output and its exit code. */
type Run = (
  args: readonly string[],
  environment: Record<string, string>,
) => Promise<Record<'output' | 'errors', string> & { code: number | null }>;

const inProcess: Run = async (args, environment) => {
  const [output, errors]: [string[], string[]] = [[], []];
  const code = await probeCommand(args, {
    environment,
    say: (line) => output.push(`${line}\n`),
    complain: (line) => errors.push(`${line}\n`),
    ask: undefined,
  });
  return { output: output.join(''), errors: errors.join(''), code };
};

const inOwnProcess: Run = async (args, environment) => {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { output, errors, code };
};

/** Runs the command against a scripted upstream configured as `mine`. */
async function probe(
  format: string,
  args: readonly string[],
  options: UpstreamOptions = { model },
  run = inProcess,
) {
  const upstream = await startUpstream(options);
  const folder = mkdtempSync(join(tmpdir(), 'winnow-probe-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await upstream.close();
  });
  const config = join(folder, 'winnow.yaml');
  // A configuration of a proxy that requires tokens from its clients and defers nothing.
  writeFileSync(
    config,
    `server: { tokens: [own-token] }
upstreams: { mine: { base_url: "${upstream.url}", format: ${format} } }
pipes: { tool_discovery: { strategy: passthrough } }
`,
  );
  const all = ['--upstream', 'mine', '--config', config, ...args];
  return { upstream, ...(await run(all, { PROBE_API_KEY: 'key-of-mine' })) };
}

test('finds that an upstream takes deferral, and keeps history, thinking and its cache', async () => {
  const args = ['--model', 'claude-opus-4-5', '--prices', '3,15', '--yes'];
  const { upstream, output, code } = await probe('anthropic', args, { model }, inOwnProcess);
  expect(output.split('\n')).toEqual([
    expect.stringMatching(/^Upstream mine \(http.*\), anthropic-messages, model claude-opus-4-5\.$/),
    expect.stringMatching(/^Up to 7 requests: about \d+ tokens of input, at most 14336 of output\.$/),
    expect.stringMatching(/^At these prices, that costs at most 0\.\d\d\.$/),
    expect.stringMatching(/^✓ direct {4}\d+ input tokens with 40 tools$/),
    expect.stringMatching(/^✓ deferral {2}native, \d+ input tokens in the first round instead of \d+$/),
    '✓ search    1 in 2 requests, found and called',
    '✓ history   what was hidden is back in its place, and was taken',
    '✓ thinking  the second turn was taken with the thinking of the first',
    expect.stringMatching(/^✓ cache {5}it has served 700 of \d+ input tokens of the second turn$/),
    '',
  ]);
  expect(code).toBe(0);
  expect(upstream.rejected()).toEqual([]);
  expect(upstream.requests).toHaveLength(4);
  // The user's own key, and never the proxy's token.
  for (const { headers } of upstream.requests) {
    expect(headers['x-api-key']).toBe('key-of-mine');
    expect(JSON.stringify(headers)).not.toContain('own-token');
  }
});

test('finds that an upstream refuses it, and says so in its exit code', async () => {
  const { output, code } = await probe('anthropic', ['--model', 'claude-opus-4-5', '--yes'], {
    model,
    rules: { supportsDeferral: () => false },
  });
  expect(output).toMatch(
    /^✗ deferral {2}native was refused \(upstream_rejected_edit\), and the original taken$/m,
  );
  expect(code).toBe(1);
});

test('finds that an upstream takes deferral and bills what is deferred', async () => {
  const { output, code } = await probe('anthropic', ['--model', 'claude-opus-4-5', '--yes'], {
    model: modelThatBills((body) => body),
  });
  expect(output).toMatch(/^✗ deferral {2}native, .*: nothing is saved$/m);
  expect(code).toBe(1);
});

test.each([
  ['openai', 'any', [], 'openai-chat', 'swap', '✓ cache '],
  [
    'openai',
    'gpt-5-mini',
    ['--format', 'openai-responses', '--native', 'off'],
    'openai-responses',
    'swap',
    '✓ cache ',
  ],
  ['openai', 'gpt-5.4', ['--format', 'openai-responses'], 'openai-responses', 'native', '✓ cache '],
  ['gemini', 'gemini-3-pro-preview', [], 'gemini', 'bridge', '✓ cache '],
  ['gemini', 'gemini-2.0-flash', [], 'gemini', 'bridge', '✓ cache '],
  [
    'gemini',
    'gemini-3-pro-preview',
    ['--format', 'gemini-interactions'],
    'gemini-interactions',
    'bridge',
    '✓ cache ',
  ],
  ['ollama', 'any', [], 'ollama-chat', 'swap', '? cache '],
  ['bedrock', 'anthropic.claude-sonnet-4-5-v1:0', [], 'bedrock-converse', 'bridge', '✓ cache '],
  ['ollama', 'any', ['--format', 'openai-chat'], 'openai-chat', 'swap', '✓ cache '],
])('speaks to %s upstreams of %s %j: %s, %s', async (vendor, name, args, format, loadMode, cache) => {
  const { upstream, output, code } = await probe(vendor, ['--model', name, '--yes', ...args]);
  expect(output).toContain(`, ${format}, model ${name}.`);
  expect(output).toMatch(new RegExp(`^✓ deferral {2}${loadMode}, `, 'm'));
  expect(output).toContain('✓ search    1 in 2 requests, found and called');
  expect(output).toContain('✓ history   ');
  expect(output).toContain(cache);
  // Models that think are asked to, and their thinking is accepted back.
  if (/^gpt-5|^gemini-3/.test(name)) expect(output).toContain('✓ thinking  ');
  expect(code).toBe(0);
  expect(upstream.rejected()).toEqual([]);
});

test("ends with the upstream's own words when the upstream refuses everything", async () => {
  const { output, code } = await probe('openai', ['--model', 'any', '--yes'], {
    script: [{ kind: 'error', status: 401, message: 'Incorrect API key provided.' }],
  });
  expect(output).toMatch(/^✗ direct {4}the upstream responds with 401: Incorrect API key provided\.$/m);
  expect(code).toBe(1);
});

test('sends nothing until the user has accepted the cost', async () => {
  const { upstream, output, code } = await probe('openai', ['--model', 'any'], { model }, inOwnProcess);
  expect(output).toMatch(
    /Up to 7 requests.*\nThere is no terminal to ask: pass --yes to continue\.\nNothing was sent\.\n$/,
  );
  expect(code).toBe(0);
  expect(upstream.requests).toEqual([]);
});

test('ends with an exit code for a wrong use', async () => {
  const { errors, code } = await probe('anthropic', ['--yes'], { model }, inOwnProcess);
  expect(errors).toMatch(/^--model must be .*\nusage: npm run probe/);
  expect(code).toBe(2);
});

test.each([
  [['--yes'], '--model must be'],
  [['--model', 'm', '--native', 'maybe'], '--native must be on or off'],
  [['--model', 'm', '--prices', '3'], '--prices must be two numbers'],
  [['--model', 'm', '--format', 'openai-chat', '--yes'], 'the probe supports: anthropic-messages'],
  [['--model', 'm', '--modle', 'x'], 'modle'],
])('refuses %j', async (args, problem) => {
  const { upstream, errors, code } = await probe('anthropic', args);
  expect(errors).toContain(problem);
  expect(errors).toContain('usage: npm run probe');
  expect(code).toBe(2);
  expect(upstream.requests).toEqual([]);
});
