import { readConfig } from '@winnow/proxy';
import { answer, callTool, createGate, playModel, say, waitFor } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { bodyOf, FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const MODEL = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});
const TOOL_SEARCH = { PROXY_TOOLS_STRATEGY: 'tool-search' };

/** Gives a running proxy other settings. */
function reload(stack: Stack, settings: Readonly<Record<string, string>>) {
  const outcome = readConfig({ file: '', environment: { ...stack.environment, ...settings } });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return stack.proxies[0]!.reload(outcome.config);
}

const ask = (stack: Stack, headers = {}) => send({ format: 'anthropic', url: stack.proxyUrl, headers });

test('rollout.mode and tokens hold from the next request on', async () => {
  const stack = await startStack({ model: MODEL, settings: TOOL_SEARCH });
  await (await ask(stack)).text();
  expect(reload(stack, { PROXY_ROLLOUT_MODE: 'off' })).toEqual({
    ok: true,
    changed: ['rollout.mode'],
    needsRestart: [],
  });
  await (await ask(stack)).text();
  reload(stack, { PROXY_ROLLOUT_MODE: 'off', PROXY_SERVER_TOKENS: 'a-token' });
  expect((await ask(stack)).status).toBe(401);
  expect((await ask(stack, { 'x-winnow-token': 'a-token' })).status).toBe(200);
  reload(stack, {});
  expect((await ask(stack)).status).toBe(200);
  await recordsOf(stack, 4);
  expect(stack.records.map(({ arm }) => arm)).toEqual(['full', 'off', 'off', 'full']);
});

test('a request under way ends as it began', async () => {
  const gate = createGate();
  const search = callTool('gateway_search_tools', { query: WANTED });
  const stack = await startStack({
    script: [answer([say('Let me see. ', waitFor(gate)), search]), answer([callTool(WANTED)])],
    settings: TOOL_SEARCH,
  });
  const asked = send({ format: 'anthropic', url: stack.proxyUrl, isStream: true });
  await gate.reached;
  reload(stack, { PROXY_ROLLOUT_MODE: 'off', PROXY_SERVER_TOKENS: 'a-token' });
  gate.open();
  const response = await asked;
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(WANTED)]);
  await recordsOf(stack, 1);
  expect(stack.records).toMatchObject([{ arm: 'full', searches: [{ outcome: 'found' }] }]);
});

test('no request fails while settings change', async () => {
  const stack = await startStack({ model: MODEL, settings: TOOL_SEARCH });
  const modes = ['off', 'shadow', 'full', 'dark', 'partial'];
  let isOver = false;
  const lane = async () => {
    const statuses: number[] = [];
    while (!isOver) {
      const response = await ask(stack);
      await response.text();
      statuses.push(response.status);
    }
    return statuses;
  };
  const lanes = Array.from({ length: 4 }, lane);
  for (let times = 0; times < 40; times += 1) {
    const { length } = stack.upstream.requests;
    expect(reload(stack, { PROXY_ROLLOUT_MODE: modes[times % 5]! })).toMatchObject({ ok: true });
    await expect.poll(() => stack.upstream.requests.length).toBeGreaterThan(length);
  }
  isOver = true;
  const statuses = (await Promise.all(lanes)).flat();
  expect(statuses.length).toBeGreaterThan(40);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

test("an upstream's new key and address hold from the next request on", async () => {
  const [stack, other] = await Promise.all([
    startStack({ model: MODEL, settings: TOOL_SEARCH }),
    startStack({ model: MODEL, settings: TOOL_SEARCH }),
  ]);
  const changed = reload(stack, {
    PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: other.upstream.url,
    PROXY_UPSTREAMS_ANTHROPIC_API_KEY: 'sk-operators',
  });
  expect(changed).toMatchObject({ ok: true, needsRestart: [] });
  await (await ask(stack)).text();
  expect(stack.upstream.requests).toEqual([]);
  expect(other.upstream.requests[0]!.headers['x-api-key']).toBe('sk-operators');
});

test('what needs a restart is named, and does not hold', async () => {
  const stack = await startStack({ model: MODEL, settings: TOOL_SEARCH });
  expect(reload(stack, { PROXY_SERVER_MAX_BODY: '1KiB', PROXY_TOOLS_ALWAYS_KEEP: '*' })).toEqual({
    ok: true,
    changed: [],
    needsRestart: ['server.max_body', 'tools.always_keep'],
  });
  expect(bodyOf({ format: 'anthropic', url: '' }).length).toBeGreaterThan(1024);
  expect((await ask(stack)).status).toBe(200);
});
