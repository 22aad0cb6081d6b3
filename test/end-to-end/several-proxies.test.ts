/**
 * @module-tag redis
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  answer,
  callTool,
  createGate,
  type Gate,
  playModel,
  type RedisServer,
  say,
  startRedis,
} from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { AGENT_REQUESTS } from './agents/coding-agents.ts';
import { startAlternator } from './alternator.ts';
import { anthropic } from './clients/anthropic.ts';
import { googleGenai } from './clients/google-genai.ts';
import { googleInteractions, googleStored } from './clients/google-interactions.ts';
import { ollama } from './clients/ollama.ts';
import { openai } from './clients/openai.ts';
import { openaiResponses, openaiStored } from './clients/openai-responses.ts';
import { optionsOf } from './clients/rows.ts';
import type { TestClient } from './clients/test-client.ts';
import { continueHistory } from './continue-history.ts';
import { CONVERSATION, TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { coverTraits } from './cover-traits.ts';
import { FEW_TOOLS, loadBy, send, type WireFormat } from './raw-client.ts';
import { readText } from './read-text.ts';
import { PATIENT, recordsOf, type Stack, type StackOptions, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

/** Two proxies, each with its own selector, over one Redis. Each test uses its own part of it. */
async function startPair(options: Omit<StackOptions, 'proxies'>): Promise<Stack> {
  const stack = await startStack({
    effects: PATIENT,
    ...options,
    proxies: 2,
    settings: {
      PROXY_SESSIONS_SECRET: crypto.randomUUID(),
      PROXY_REDIS_URL: redis.url,
      ...options.settings,
    },
  });
  await Promise.all(stack.proxyUrls.map(untilStoreIsUp));
  return stack;
}

async function untilStoreIsUp(proxyUrl: string): Promise<void> {
  const isUp = async () =>
    (await (await fetch(`${proxyUrl}/_winnow/metrics`)).text()).includes('winnow_proxy_session_store_up 1');
  while (!(await isUp()));
}

interface Row {
  readonly client: TestClient;
  readonly isStream: boolean;
  readonly loadMode: 'swap' | 'bridge' | 'native';
  readonly thinks: boolean;
  readonly model: string;
}

const ALL_ROWS: readonly Row[] = [false, true].flatMap((isStream): Row[] => [
  { client: openai, isStream, loadMode: 'swap', thinks: false, model: 'gpt-test' },
  { client: openai, isStream, loadMode: 'bridge', thinks: false, model: 'gpt-test' },
  { client: ollama, isStream, loadMode: 'swap', thinks: true, model: 'llama-test' },
  { client: ollama, isStream, loadMode: 'bridge', thinks: true, model: 'llama-test' },
  { client: openaiResponses, isStream, loadMode: 'bridge', thinks: true, model: 'gpt-5-mini' },
  { client: openaiStored, isStream, loadMode: 'bridge', thinks: false, model: 'gpt-5-mini' },
  { client: openaiResponses, isStream, loadMode: 'native', thinks: true, model: 'gpt-5.4' },
  { client: openaiStored, isStream, loadMode: 'swap', thinks: true, model: 'gpt-5-mini' },
  { client: openaiStored, isStream, loadMode: 'native', thinks: false, model: 'gpt-5.4' },
  { client: anthropic, isStream, loadMode: 'swap', thinks: true, model: 'claude-sonnet-4-20250514' },
  { client: anthropic, isStream, loadMode: 'native', thinks: true, model: 'claude-opus-5-5' },
  { client: anthropic, isStream, loadMode: 'bridge', thinks: true, model: 'claude-opus-5-5' },
  { client: googleGenai, isStream, loadMode: 'bridge', thinks: true, model: 'gemini-3-pro-preview' },
  { client: googleStored, isStream, loadMode: 'bridge', thinks: true, model: 'gemini-3-pro-preview' },
  { client: googleGenai, isStream, loadMode: 'swap', thinks: true, model: 'gemini-3-pro-preview' },
  { client: googleInteractions, isStream, loadMode: 'swap', thinks: true, model: 'gemini-3-pro-preview' },
  { client: googleStored, isStream, loadMode: 'swap', thinks: true, model: 'gemini-3-pro-preview' },
]);

/** All rows, or a sample: each format whole and streamed, and each load mode. */
const rows = inject('isExhaustive')
  ? ALL_ROWS
  : coverTraits(ALL_ROWS, ({ client, isStream, loadMode }) => [
      `${client.format} ${isStream ? 'streamed' : 'whole'}`,
      `${loadMode} ${isStream}`,
    ]);

const title = ({ client, isStream, loadMode }: Row) =>
  `${client.name}, ${isStream ? 'streamed' : 'whole'}, ${loadMode}`;

describe('a conversation whose turns alternate between two proxies', () => {
  test.each(rows.map((row) => [title(row), row] as const))(
    '%s: is the one that it would be with one proxy, to the byte',
    async (_, row) => {
      const model = playModel({ ...CONVERSATION, thinks: row.thinks });
      const { settings } = optionsOf(row);
      const [one, pair] = [await startStack({ model, settings }), await startPair({ model, settings })];
      const request = { ...row, tools: TOOLS, userMessages: USER_MESSAGES };

      const expected = await row.client.converse({ ...request, url: one.proxyUrl });
      const actual = await row.client.converse({ ...request, url: await startAlternator(pair.proxyUrls) });

      expect(actual).toEqual(expected);
      expect(pair.upstream.rejected().map(({ rejection }) => rejection)).toEqual([]);
      expect(pair.upstream.requests.map(({ text }) => text)).toEqual(
        one.upstream.requests.map(({ text }) => text),
      );
      expect(pair.records.map(({ sessionErrors }) => sessionErrors)).toEqual(pair.records.map(() => 0));
      // Both saw the same session.
      expect(new Set(pair.records.map(({ session }) => session)).size).toBe(1);
      // There was something to remember, except for one client, whose provider remembers.
      if (row.client === openaiStored || row.client === googleStored) return;
      expect(Math.max(...pair.records.map(({ hiddenTurnsKnown }) => hiddenTurnsKnown))).toBeGreaterThan(4);
    },
  );
});

/** Everything that a new version, or another file of settings, may change in the head of a prompt. */
const OTHER_HEAD = {
  PROXY_TOOLS_ALWAYS_KEEP: `${TOOLS[1]!.name},${TOOLS[25]!.name}`,
  PROXY_TOOLS_SEARCH_TOOL_NAME: 'find_more',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '7',
  ...Object.fromEntries(
    ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((name) => [`PROXY_UPSTREAMS_${name}_LOAD`, 'swap']),
  ),
};
const keepingRows = rows.filter(
  ({ client, loadMode, isStream }) =>
    isStream && loadMode !== 'swap' && [openai, anthropic, googleGenai].includes(client),
);

describe('a conversation whose turns alternate with a proxy of other settings, as while proxies are replaced', () => {
  test.each(keepingRows.map((row) => [title(row), row] as const))(
    '%s: continues as it began, to the byte',
    async (_, row) => {
      const model = playModel({ ...CONVERSATION, thinks: row.thinks });
      const { settings } = optionsOf(row);
      const one = await startStack({ model, settings });
      const pair = await startPair({ model, settings, laterSettings: OTHER_HEAD });
      const request = { ...row, tools: TOOLS, userMessages: USER_MESSAGES };

      const expected = await row.client.converse({ ...request, url: one.proxyUrl });
      const actual = await row.client.converse({ ...request, url: await startAlternator(pair.proxyUrls) });

      expect(pair.upstream.requests.map(({ text }) => text)).toEqual(
        one.upstream.requests.map(({ text }) => text),
      );
      expect(actual).toEqual(expected);
      expect(pair.upstream.rejected()).toEqual([]);
    },
  );
});

test.each<[string, (later: readonly object[], tools: readonly object[], grown: readonly object[]) => object]>(
  [
    ['the catalogue grows', (later, _, grown) => ({ messages: later, tools: grown })],
    [
      'the history is trimmed',
      (later, tools) => ({ messages: later.slice(-1).concat(later.slice(-2)), tools }),
    ],
  ],
)(
  'what is preloaded in a session that the client names is what another proxy has stored, when %s',
  async (_, change) => {
    const { format, body } = AGENT_REQUESTS[0]!;
    const tools = body.tools as readonly object[];
    const opening = body.messages as readonly object[];
    const later = [
      ...opening,
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'And now the weather forecast, and an invoice.' },
    ];
    // Fits the first message better than any other tool.
    const grown = [...tools, { ...tools.at(-1), name: 'pull_request_branch_open' }];
    const stack = await startPair({
      model: () => answer([say('Done.')]),
      settings: { PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '5', ...loadBy('swap') },
    });
    const seen = async (url: string, more: object, session: string) => {
      const number = stack.upstream.requests.length;
      const headers = { 'x-winnow-session': session };
      const response = await send({ format, url, headers }, JSON.stringify({ ...body, ...more }));
      expect(response.status).toBe(200);
      await response.text();
      await recordsOf(stack, number + 1);
      const sent = stack.upstream.requests[number]!.json as { tools: { name?: string; function?: object }[] };
      return sent.tools.map((tool) => tool.name ?? (tool.function as { name: string }).name);
    };
    const [one, other] = stack.proxyUrls as [string, string];
    const first = await seen(one, {}, 'the-session');
    const more = change(later, tools, grown);
    expect(await seen(other, more, 'the-session')).toEqual(first);
    expect(await seen(other, more, 'another-session')).not.toEqual(first);
    expect(stack.records.map(({ sessionErrors }) => sessionErrors)).toEqual([0, 0, 0]);
  },
);

describe.each(FORMATS)('%s: two proxies over one Redis', (format) => {
  const [WANTED, OTHER] = [FEW_TOOLS[8]!.name, FEW_TOOLS[9]!.name];
  const messagesOf = ({ json }: { json: unknown }) =>
    JSON.stringify((json as { messages: unknown }).messages);
  const toolsOf = ({ json }: { json: unknown }) => JSON.stringify((json as { tools: unknown }).tools);

  test('keep what both have found when they serve two turns of one session at once', async () => {
    const bothSearch = createGate();
    let searching = 0;
    const stack = await startPair({
      settings: loadBy('swap'),
      // Finds the tools that the user names, and waits until both have sent a search.
      model: async ({ turns, callable }) => {
        const wanted = turns.find((turn) => turn.role === 'user')!.text;
        if (callable.has(wanted)) return answer([callTool(wanted)]);
        if (++searching === 2) bothSearch.open();
        await bothSearch.opened;
        return answer([callTool(SEARCH_TOOL, { query: wanted })]);
      },
    });
    const headers = { 'x-winnow-session': 'shared' };
    const [one, other] = stack.proxyUrls as [string, string];
    const ask = async (url: string, user: string) => (await send({ format, url, user, headers })).text();
    await Promise.all([ask(one, WANTED), ask(other, OTHER)]);
    for (const url of stack.proxyUrls) {
      await ask(url, WANTED);
      const tools = toolsOf(stack.upstream.requests.at(-1)!);
      expect([tools.includes(`"${WANTED}"`), tools.includes(`"${OTHER}"`)]).toEqual([true, true]);
    }
    expect(stack.upstream.rejected()).toEqual([]);
  });

  test('hold the end of an answer, and no text, until the other one can know of its searches', async () => {
    const clientHasTheCall = createGate();
    const call = FEW_TOOLS[0]!.name;
    const stack = await startPair({
      script: [
        answer([callTool(SEARCH_TOOL, { query: WANTED }), callTool(call)]),
        answer([callTool(WANTED)]),
      ],
      selectorUrl: await startSlowSelector(clientHasTheCall, [WANTED]),
    });
    const [one, other] = stack.proxyUrls as [string, string];
    const streamed = readText(await send({ format, url: one, isStream: true }));
    await streamed.until(call);
    clientHasTheCall.open();
    await streamed.end();
    const messages = continueHistory(format, readStream(format, streamed.text()));
    expect(await (await send({ format, url: other, more: { messages } })).text()).toContain(WANTED);
    expect(messagesOf(stack.upstream.requests[1]!)).toContain(SEARCH_TOOL);
    expect(stack.upstream.rejected()).toEqual([]);
  });

  test('hold a whole answer until the other one can know of its searches', async () => {
    const isAsked = createGate();
    isAsked.open();
    const stack = await startPair({
      script: [
        answer([callTool(SEARCH_TOOL, { query: WANTED }), callTool(FEW_TOOLS[0]!.name)]),
        answer([callTool(WANTED)]),
      ],
      selectorUrl: await startSlowSelector(isAsked, [WANTED]),
    });
    const [one, other] = stack.proxyUrls as [string, string];
    const messages = continueHistory(format, await (await send({ format, url: one })).json());
    await (await send({ format, url: other, more: { messages } })).text();
    expect(messagesOf(stack.upstream.requests[1]!)).toContain(SEARCH_TOOL);
    expect(stack.upstream.rejected()).toEqual([]);
  });
});

/**
 * Delay of the slow selector. A response that does not wait for it would have ended, and its next turn begun,
 * long before.
 */
const SLOW_MS = 100;

/** A selector that responds when the gate is open, after a delay. */
async function startSlowSelector(gate: Gate, names: readonly string[]): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', async () => {
      await gate.opened;
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ selected_names: names }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`;
}

/** The whole response that is equivalent to a stream with one call, as far as `continueHistory` needs it. */
function readStream(format: WireFormat, text: string): unknown {
  const events = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json!));
  if (format === 'openai') {
    const calls = events.flatMap((event) => event.choices[0]?.delta.tool_calls ?? []);
    const argumentsText = calls.map((call) => call.function.arguments ?? '').join('');
    const call = { ...calls[0], function: { ...calls[0].function, arguments: argumentsText } };
    delete call.index;
    return { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] };
  }
  const { content_block } = events.find(({ type }) => type === 'content_block_start');
  const input = events.map(({ delta }) => delta?.partial_json ?? '').join('');
  return { content: [{ ...content_block, input: JSON.parse(input || '{}') }] };
}
