import { once } from 'node:events';
import { readConfig } from '@winnow/proxy';
import { answer, callTool, createGate, playModel, say, waitFor } from '@winnow/testkit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { bodyOf, FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';
import { startWebSocketUpstream } from './web-socket-upstream.ts';

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

test('a WebSocket and a watch of the live page end with the token that opened them', async () => {
  const upstream = await startWebSocketUpstream();
  const settings = { PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url, PROXY_PAGE_TOKEN: 'a-page-token' };
  const stack = await startStack({
    model: MODEL,
    settings: { ...settings, PROXY_SERVER_TOKENS: 'a-token,b-token' },
  });
  const open = async (token: string) => {
    const protocols = ['realtime', `openai-insecure-api-key.${token}`];
    const socket = new WebSocket(`${stack.proxyUrl.replace('http', 'ws')}/v1/realtime`, protocols);
    onTestFinished(() => socket.close());
    const closed = once(socket, 'close');
    await once(socket, 'open');
    return { socket, closed };
  };
  const watch = async (token: string) => {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    return await fetch(`${stack.proxyUrl}/_winnow/live`, {
      headers: { 'x-winnow-token': token },
      signal: leaving.signal,
    });
  };
  const [withdrawn, kept] = [await open('a-token'), await open('b-token')];
  const [watching, byPage] = [await watch('a-token'), await watch('a-page-token')];
  reload(stack, { ...settings, PROXY_SERVER_TOKENS: 'b-token', PROXY_PAGE_TOKEN: 'another' });
  await Promise.all([withdrawn.closed, watching.text(), byPage.text()]);
  const echo = once(kept.socket, 'message');
  kept.socket.send('still there');
  expect(((await echo) as [MessageEvent])[0].data).toBe('still there');
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

/** Returns the part of a request in front of a conversation, with the first message, which may preload tools. */
function headOf(text: string): string {
  const { system, tools, messages } = JSON.parse(text) as Record<string, unknown[]>;
  return JSON.stringify([system, tools, messages![0]]).replace(/,?"cache_control":\{[^}]*\}/g, '');
}

/** Holds a conversation of three requests, with `between` before each but the first. */
async function converse(stack: Stack, user: string, between: (turn: number) => unknown = () => {}) {
  const messages: object[] = [{ role: 'user', content: user }];
  const statuses: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    if (turn > 0) await between(turn);
    const response = await send({ format: 'anthropic', url: stack.proxyUrl, more: { messages } });
    statuses.push(response.status);
    const { content } = (await response.json()) as { content: { type: string; id: string }[] };
    const results = content.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'done' }] : [],
    );
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
  return statuses;
}

/** The heads that the upstream got of a conversation, each once. */
const headsOf = ({ upstream }: Stack, user: string) =>
  new Set(upstream.requests.filter(({ text }) => text.includes(user)).map(({ text }) => headOf(text)));

const LONG_MODEL = playModel({
  turns: [
    {
      steps: [
        { searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] },
        { thenCall: [{ name: WANTED, input: {} }] },
        { thenCall: [{ name: WANTED, input: {} }] },
      ],
    },
  ],
});

/** Settings that each give new conversations another head. */
const HEADS: readonly Readonly<Record<string, string>>[] = [
  { PROXY_TOOLS_ALWAYS_KEEP: FEW_TOOLS[0]!.name },
  { PROXY_TOOLS_PRELOAD: '0', PROXY_TOOLS_ALWAYS_KEEP: FEW_TOOLS[1]!.name },
  { PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'bridge' },
  { PROXY_PROFILES_ALL_ALWAYS_KEEP: FEW_TOOLS[2]!.name },
  { PROXY_PROFILES_OPUS_MATCH_MODEL: 'claude-opus-*', PROXY_PROFILES_OPUS_ALWAYS_KEEP: WANTED },
];

test.each(HEADS)(
  'with %o, new conversations get another head, and those under way keep theirs',
  async (to) => {
    const from = { PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native', ...TOOL_SEARCH };
    const stack = await startStack({ model: LONG_MODEL, isLenient: true, settings: from });
    const user = `Please use ${WANTED.replaceAll('_', ' ')}, the first time.`;
    await converse(stack, user, (turn) => {
      if (turn === 1) expect(reload(stack, { ...from, ...to })).toMatchObject({ ok: true, needsRestart: [] });
    });
    await converse(stack, user.replace('first', 'second'));
    expect(headsOf(stack, 'the first time').size).toBe(1);
    expect(headsOf(stack, 'the second time').size).toBe(1);
    const [before, after] = ['first', 'second'].map((time) => [...headsOf(stack, `the ${time} time`)][0]!);
    expect(after!.replace('second', 'first')).not.toBe(before);
  },
);

test('no request fails and no head changes under way while settings of heads change under load', async () => {
  const from = { PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native', ...TOOL_SEARCH };
  const stack = await startStack({ model: LONG_MODEL, isLenient: true, settings: from });
  let isOver = false;
  const users: string[] = [];
  const lane = async (_: unknown, number: number) => {
    const statuses: number[] = [];
    for (let round = 0; !isOver; round += 1) {
      const user = `Please use ${WANTED.replaceAll('_', ' ')}, ${number}-${round}.`;
      users.push(user);
      statuses.push(...(await converse(stack, user)));
    }
    return statuses;
  };
  const lanes = Array.from({ length: 4 }, lane);
  for (let times = 0; times < 30; times += 1) {
    const { length } = stack.upstream.requests;
    expect(reload(stack, { ...from, ...HEADS[times % 5] })).toMatchObject({ ok: true, needsRestart: [] });
    await expect.poll(() => stack.upstream.requests.length).toBeGreaterThan(length + 4);
  }
  isOver = true;
  const statuses = (await Promise.all(lanes)).flat();
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const heads = users.map((user) => headsOf(stack, user));
  expect(heads.filter(({ size }) => size !== 1)).toEqual([]);
  const tools = heads.map((one) => JSON.stringify(JSON.parse([...one][0]!)[1]));
  expect(new Set(tools).size).toBeGreaterThan(3);
});

test('a rollout by profile rises under load, without a failure and without a change for others', async () => {
  const at = (percent: number) => ({
    ...TOOL_SEARCH,
    PROXY_ROLLOUT_MODE: 'off',
    PROXY_PROFILES_CODER_MATCH_AGENT: 'coder/*',
    PROXY_PROFILES_CODER_ROLLOUT_MODE: 'partial',
    PROXY_PROFILES_CODER_ROLLOUT_PERCENT: String(percent),
  });
  const stack = await startStack({ model: MODEL, settings: at(0) });
  let isOver = false;
  const lane = async (_: unknown, number: number) => {
    const statuses: number[] = [];
    for (let session = number; !isOver; session = (session + 4) % 24) {
      const agent = session % 2 === 0 ? 'coder/1' : 'other/1';
      const response = await ask(stack, { 'user-agent': agent, 'x-winnow-session': `session-${session}` });
      await response.text();
      statuses.push(response.status);
    }
    return statuses;
  };
  const lanes = Array.from({ length: 4 }, lane);
  const since: number[] = [];
  const percents = inject('isExhaustive') ? [0, 20, 40, 60, 80, 100] : [0, 30, 70, 100];
  for (const percent of percents) {
    expect(reload(stack, at(percent))).toMatchObject({ ok: true, needsRestart: [] });
    since.push(Date.now());
    const { length } = stack.records;
    await expect.poll(() => stack.records.length, { timeout: 30_000 }).toBeGreaterThan(length + 48);
  }
  isOver = true;
  expect((await Promise.all(lanes)).flat().filter((status) => status !== 200)).toEqual([]);
  const [ofCoder, ofOthers] = [true, false].map((isCoder) =>
    stack.records.filter(({ profile }) => (profile === 'coder') === isCoder),
  );
  expect(new Set(ofOthers!.map(({ arm }) => arm))).toEqual(new Set(['off']));
  // With each step, the conversations inside stay inside.
  const inside = percents.slice(1, -1).map((_, at) => {
    const [from, to] = [since[at + 1]!, since[at + 2]!];
    const began = ofCoder!.filter(({ time }) => Date.parse(time) >= from && Date.parse(time) < to);
    return new Set(began.filter(({ arm }) => arm === 'full').map(({ session }) => session));
  });
  expect(inside[0]!.size).toBeLessThan(inside.at(-1)!.size);
  for (const [step, sessions] of inside.slice(1).entries())
    expect([...inside[step]!].filter((session) => !sessions.has(session))).toEqual([]);
  // At the end all are inside. Records of observed requests come late.
  const last = ofCoder!.filter(({ time }) => Date.parse(time) > since.at(-1)!);
  expect(last.length).toBeGreaterThan(10);
  expect(new Set(last.map(({ arm }) => arm))).toEqual(new Set(['full']));
});

test('what needs a restart is named, and does not hold', async () => {
  const stack = await startStack({ model: MODEL, settings: TOOL_SEARCH });
  expect(
    reload(stack, { PROXY_SERVER_MAX_BODY: '1KiB', PROXY_TOOLS_SEARCH_TOOL_NAME: 'find_tools' }),
  ).toEqual({
    ok: true,
    changed: [],
    needsRestart: ['server.max_body', 'tools.search_tool_name'],
  });
  expect(bodyOf({ format: 'anthropic', url: '' }).length).toBeGreaterThan(1024);
  expect((await ask(stack)).status).toBe(200);
});
