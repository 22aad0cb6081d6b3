import {
  answer,
  callTool,
  findOrphanResults,
  type Model,
  type ModelPlan,
  playModel,
  type ScriptedAnswer,
  say,
  startUpstream,
} from '@winnow/testkit';
import { Ollama } from 'ollama';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ollama } from './clients/ollama.ts';
import { CONVERSATION, TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, type Stack, type StackOptions, startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;

/** A server of a version before 0.13, whose calls have neither ids nor numbers. */
const withoutIds =
  (model: Model): Model =>
  async (...exchange) =>
    ({ ...(await model(...exchange)), deviations: { hasNoCallIds: true } }) as ScriptedAnswer;

/** Checks that each call has its result: Ollama itself would accept any history. */
function expectWholeHistories({ upstream }: Stack): void {
  expect(upstream.rejected()).toEqual([]);
  expect(upstream.requests.flatMap(({ json }) => findOrphanResults(json as never))).toEqual([]);
}

describe.each([false, true])('a conversation with the ollama package (streamed: %s)', (isStream) => {
  const request = { model: 'llama-test', tools: TOOLS, userMessages: USER_MESSAGES, isStream, thinks: true };

  /** The client's results directly and through a stack, whose bytes to the client are checked for traces. */
  async function converse(model: Model, options: Omit<StackOptions, 'model'> = {}) {
    const direct = await startUpstream({ model });
    onTestFinished(() => direct.close());
    const stack = await startStack({ ...options, model });
    const tap = await startTap(stack.proxyUrl);
    const expected = await ollama.converse({ ...request, url: direct.url });
    const actual = await ollama.converse({ ...request, url: tap.url });
    expect(tap.toClient().includes(SEARCH_TOOL)).toBe(false);
    expectWholeHistories(stack);
    return { stack, expected, actual };
  }

  test('is the one that it would be, also where calls have no ids', async () => {
    const { stack, expected, actual } = await converse(
      withoutIds(playModel({ ...CONVERSATION, thinks: true })),
      { settings: { PROXY_UPSTREAMS_OLLAMA_LOAD: 'swap' } },
    );
    expect(actual).toEqual(expected);
    expect(JSON.stringify(actual)).not.toContain('"id"');
    expect(stack.upstream.requests.length).toBe(expected.length + 9);
    expect(stack.records.at(-1)!.hiddenTurnsKnown).toBeGreaterThan(4);
  });

  /** Drops the last search round, which continues until all tools are loaded. */
  const PLAN: ModelPlan = { turns: CONVERSATION.turns.slice(0, 7), searchesAgain: true };
  const words = (transcript: readonly unknown[]) =>
    transcript.map((one) => JSON.stringify(one, (key, value) => (key === 'id' ? undefined : value)));

  test('says the same when what was hidden is lost', async () => {
    const sessions = { isShared: true, read: async () => new Map(), add: async () => {}, sweep: () => {} };
    const { stack, expected, actual } = await converse(playModel(PLAN), { effects: { sessions } });
    expect(words(actual)).toEqual(words(expected));
    expect(stack.records.every(({ hiddenTurnsKnown }) => hiddenTurnsKnown === 0)).toBe(true);
  });
});

const TOOLS_SENT = FEW_TOOLS.map((tool) => ({ type: 'function', function: { ...tool } }));
const QUESTION = { model: 'llama-test', messages: [{ role: 'user', content: 'Do it.' }], tools: TOOLS_SENT };

/** The client's result: its text, or the error that it throws. */
async function ask(host: string, isStream: boolean): Promise<unknown> {
  const client = new Ollama({ host, headers: { authorization: 'Bearer key' } });
  try {
    if (!isStream) return { text: (await client.chat(QUESTION)).message.content };
    let text = '';
    for await (const { message } of await client.chat({ ...QUESTION, stream: true })) text += message.content;
    return { text };
  } catch (error) {
    const { name, message, status_code: status } = error as Error & { status_code?: number };
    return { name, message, status };
  }
}

/** Searches, then ends in this way. */
const searchThen =
  (second: ScriptedAnswer): Model =>
  (_, { text }) => {
    if (!text.includes(SEARCH_TOOL)) return answer([say('All tools were there.')]);
    return text.includes('"role":"tool"') ? second : answer([callTool(SEARCH_TOOL, { query: WANTED })]);
  };

/** A second round that says something, then fails. */
const FAILURE = answer([
  say('Well, '),
  { type: 'error', message: 'an error was encountered while running the model' },
]);

test('a later round that fails within its whole response ends in the response to the original request', async () => {
  const settings = { PROXY_UPSTREAMS_OLLAMA_RETRY_ATTEMPTS: '0' };
  const stack = await startStack({ model: searchThen(FAILURE), settings });
  expect(await ask(stack.proxyUrl, false)).toEqual({ text: 'All tools were there.' });
});

test('a later round that fails after the client has seen a part of it gives the error of that response', async () => {
  const settings = { PROXY_UPSTREAMS_OLLAMA_RETRY_ATTEMPTS: '0' };
  const stack = await startStack({ model: searchThen(FAILURE), settings });
  expect(await ask(stack.proxyUrl, true)).toMatchObject({
    message: 'an error was encountered while running the model',
  });
});

test('a server that is not there is told of in the words of Ollama', async () => {
  const stack = await startStack({ settings: { PROXY_UPSTREAMS_OLLAMA_BASE_URL: 'http://127.0.0.1:9' } });
  expect(await ask(stack.proxyUrl, false)).toEqual({
    name: 'ResponseError',
    status: 502,
    message: 'The upstream "ollama" does not respond (ECONNREFUSED).',
  });
});

describe('what is told of an exchange', () => {
  const model = playModel({
    turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
  });

  test('is a record, and counts of its format', async () => {
    const stack = await startStack({ model });
    await ask(stack.proxyUrl, true);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      {
        format: 'ollama-chat',
        upstream: 'ollama',
        model: 'llama-test',
        loadMode: 'bridge',
        planReason: 'deferred',
        outcome: 'answered',
        upstreamCalls: 2,
        searches: [{ outcome: 'found' }],
        usage: [1, 2].map(() => ({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) })),
      },
    ]);
    const metrics = await (await fetch(`${stack.proxyUrl}/_winnow/metrics`)).text();
    expect(metrics).toMatch(/winnow_proxy_exchanges_total\{[^}]*format="ollama-chat"[^}]*\} 1/);
  });

  test.each([false, true])('is what would have been missed, in shadow (streamed: %s)', async (isStream) => {
    const stack = await startStack({
      script: [answer([say('So be it. '), callTool(WANTED), callTool('other')])],
      settings: { PROXY_ROLLOUT_MODE: 'shadow' },
    });
    await ask(stack.proxyUrl, isStream);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      { arm: 'shadow', format: 'ollama-chat', observation: { status: 'done', called: [WANTED] } },
    ]);
    expect(stack.upstream.requests[0]!.text).not.toContain(SEARCH_TOOL);
  });
});
