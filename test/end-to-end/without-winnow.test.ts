import Anthropic from '@anthropic-ai/sdk';
import { answer, callTool, createProvider, type Model, say, think } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { bodyOf, FEW_TOOLS, RESPONSES_TOOLS } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;

type Json = Readonly<Record<string, unknown>>;

/** A conversation of one format, as a client keeps it. */
interface Format {
  readonly name: string;
  readonly path: string;
  readonly loadMode: 'swap' | 'bridge' | 'native';
  readonly body: Json;
  readonly history: 'input' | 'messages';
  /** Returns the model's part of the history, and the results of its calls. */
  goOn(response: Json): Json[];
}

const user = (content: string) => ({ role: 'user', content });

const responses = (loadMode: 'swap' | 'bridge' | 'native', model: string): Format => ({
  name: `Responses, ${loadMode}`,
  path: '/v1/responses',
  loadMode,
  body: { model, store: false, tools: RESPONSES_TOOLS },
  history: 'input',
  goOn: ({ output }) => {
    const items = output as { type: string; call_id: string }[];
    const calls = items.filter(({ type }) => type === 'function_call');
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'done' }));
    return [...items, ...results];
  },
});

const messages = (loadMode: 'swap' | 'bridge' | 'native', model: string, thinking: Json): Format => ({
  name: `Messages, ${loadMode}, ${model}`,
  path: '/v1/messages',
  loadMode,
  body: JSON.parse(
    bodyOf({ format: 'anthropic', url: '', more: { model, thinking, max_tokens: 4_096 } }),
  ) as Json,
  history: 'messages',
  goOn: ({ content }) => {
    const calls = (content as { type: string; id: string }[]).filter(({ type }) => type === 'tool_use');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
    const next = results.length > 0 ? [{ role: 'user', content: results }] : [];
    return [{ role: 'assistant', content }, ...next];
  },
});

const BUDGET = { type: 'enabled', budget_tokens: 1_024 };
const ADAPTIVE = { type: 'adaptive' };

const FORMATS: readonly Format[] = [
  responses('swap', 'gpt-5-mini'),
  responses('native', 'gpt-5.4'),
  responses('bridge', 'gpt-5-mini'),
  messages('bridge', 'claude-opus-4-6', ADAPTIVE),
  messages('swap', 'claude-sonnet-4-20250514', BUDGET),
  messages('native', 'claude-opus-4-6', ADAPTIVE),
];

/** Thinks and searches, then thinks and calls; answers results and every later message. */
const SEARCHING: Model = ({ turns }) => {
  const last = turns.at(-1);
  if (last?.role === 'user') return answer([think('Hm.'), callTool(SEARCH_TOOL, { query: WANTED })]);
  const before = turns.at(-2);
  const hasSearched = before?.role === 'assistant' && before.calls[0]?.name === SEARCH_TOOL;
  return hasSearched ? answer([think('So.'), callTool(WANTED)]) : answer([think('Good.'), say('Done.')]);
};

/** A conversation after its first turn, in which the model searched. */
interface Talk {
  readonly stack: Stack;
  readonly format: Format;
  readonly history: readonly Json[];
}

/** The last part of the process's heap that is in use; tests change it. */
let heapShare = 0;

async function begin(format: Format, settings: Record<string, string> = {}): Promise<Talk> {
  heapShare = 0;
  const stack = await startStack({
    model: SEARCHING,
    effects: { heapShare: () => heapShare },
    settings: {
      PROXY_UPSTREAMS_OPENAI_LOAD: format.loadMode,
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: format.loadMode,
      PROXY_TOOLS_STRATEGY: 'tool-search',
      PROXY_ROLLOUT_ALLOW_OVERRIDE: 'true',
      ...settings,
    },
  });
  let history: readonly Json[] = [user('Do it.')];
  // The model's call, and its answer to the result.
  for (let step = 0; step < 2; step++) {
    const response = await post({ stack, format, history }, {});
    expect(response.status, await response.clone().text()).toBe(200);
    history = [...history, ...format.goOn((await response.json()) as Json)];
  }
  await recordsOf(stack, 2);
  expect(stack.records[0]!.searches).toHaveLength(1);
  return { stack, format, history: [...history, user('Go on.')] };
}

interface Asked {
  readonly more?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

function post({ stack, format, history }: Talk, { more, headers, url = stack.proxyUrl }: Asked) {
  return fetch(`${url}${format.path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'key',
      authorization: 'Bearer key',
      ...headers,
    },
    body: JSON.stringify({ ...format.body, [format.history]: history, ...more }),
  });
}

/** The ways of a request past Winnow, each with the reason in its record. */
const WAYS: readonly (readonly [string, string | undefined, (talk: Talk) => Promise<Response>])[] = [
  ['to the provider itself', undefined, (talk) => post(talk, { url: talk.stack.upstream.url })],
  ['with the mode off', 'not_read', (talk) => post(talk, { headers: { 'x-winnow-mode': 'off' } })],
  [
    'with three tools',
    'few_tools',
    (talk) => post(talk, { more: { tools: (talk.format.body.tools as Json[]).slice(0, 3) } }),
  ],
  [
    'short of memory',
    'short_of_memory',
    (talk) => {
      heapShare = 0.99;
      return post(talk, {});
    },
  ],
];

describe.each(FORMATS)('a history of $name in which the model searched is accepted', (format) => {
  test.each(WAYS)('%s', async (_, reason, ask) => {
    const talk = await begin(format, { PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '5' });
    const response = await ask(talk);
    expect(response.status, await response.text()).toBe(200);
    if (reason === undefined) return;
    await recordsOf(talk.stack, 3);
    expect(talk.stack.records[2]).toMatchObject({ planReason: reason });
  });

  test('as the original bytes, when a later round cannot be read', async () => {
    const talk = await begin(format);
    let requests = 0;
    const { upstream } = talk.stack;
    const broken = await startStack({
      model: (conversation, request) => {
        requests += 1;
        return requests === 2 ? { kind: 'bytes', body: '<html>' } : SEARCHING(conversation, request);
      },
      settings: {
        PROXY_UPSTREAMS_OPENAI_LOAD: format.loadMode,
        PROXY_UPSTREAMS_ANTHROPIC_LOAD: format.loadMode,
        PROXY_TOOLS_STRATEGY: 'tool-search',
      },
    });
    const response = await post({ ...talk, stack: broken }, {});
    expect(response.status, await response.text()).toBe(200);
    await recordsOf(broken, 1);
    expect(broken.records[0]).toMatchObject({ restoredBecause: 'later_round_failed' });
    expect([...upstream.rejected(), ...broken.upstream.rejected()]).toEqual([]);
  });
});

describe.each(FORMATS.filter(({ history }) => history === 'input'))(
  'a client of $name that compacts its history',
  (format) => {
    test('by a request without tools, as Codex does, is not refused', async () => {
      const talk = await begin(format);
      const response = await post(talk, { more: { tools: [] } });
      expect(response.status, await response.text()).toBe(200);
      await recordsOf(talk.stack, 3);
      expect(talk.stack.records[2]).toMatchObject({ planReason: 'no_function_tools' });
    });

    test('by the route of the provider sends what the provider accepts', async () => {
      const talk = await begin(format);
      const compact = { ...format, path: '/v1/responses/compact' };
      await (await post({ ...talk, format: compact }, {})).text();
      const { text } = talk.stack.upstream.requests.at(-1)!;
      expect(JSON.parse(text)).toMatchObject({ input: talk.history });
      expect(createProvider().judge({ path: '/v1/responses', text })).toBeUndefined();
    });
  },
);

/** The history as Winnow 0.2 showed it: with the reasoning or thinking of the round that only searched. */
function shownBy02(talk: Talk): Talk {
  const { stack, format, history } = talk;
  const sent = JSON.parse(stack.upstream.requests[1]!.text) as Record<string, Json[]>;
  const [asked, first, ...rest] = history as [Json, Json, ...Json[]];
  const hidden = sent[format.history]![1]!;
  if (format.history === 'input') return { ...talk, history: [asked, hidden, first, ...rest] };
  const thought = (hidden.content as Json[])[0]!;
  const content = [thought, ...(first.content as Json[])];
  return { ...talk, history: [asked, { ...first, content }, ...rest] };
}

describe.each(FORMATS)('a history of $name from 0.2', (format) => {
  const isRefused = format.history === 'input';

  test.each(WAYS.filter(([, reason]) => reason === undefined || reason === 'few_tools'))(
    isRefused ? '%s: a provider refuses it, and Winnow sends it without its reasoning' : '%s: is accepted',
    async (_, reason, ask) => {
      const talk = shownBy02(await begin(format, { PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '5' }));
      const response = await ask(talk);
      const text = await response.text();
      expect(response.status, text).toBe(isRefused && reason === undefined ? 400 : 200);
      if (reason === undefined) return;
      await recordsOf(talk.stack, 3);
      expect(talk.stack.records[2]).toMatchObject({
        planReason: reason,
        upstreamCalls: isRefused ? 2 : 1,
      });
    },
  );
});

test('thinking that is bound to a hidden turn is refused without Winnow', async () => {
  const talk = await begin(messages('native', 'claude-opus-5-5', ADAPTIVE));
  expect((await post(talk, {})).status).toBe(200);
  const response = await post(talk, { headers: { 'x-winnow-mode': 'off' } });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('does not match the system, tools and messages before it');
});

/** Searches, calls, searches again and answers, each time with a thought, whatever the history. */
function searchingTwice(): Model {
  const search = callTool(SEARCH_TOOL, { query: WANTED });
  const steps = [search, callTool(WANTED), search, say('Done.')];
  let number = 0;
  return () => answer([think('Hm.'), steps[number++ % steps.length]!]);
}

const FORGETFUL = {
  isShared: true,
  read: async () => new Map<string, string>(),
  add: async () => {},
  sweep: () => {},
};

const withoutThinking = (content: readonly Json[]) => content.filter(({ type }) => type !== 'thinking');
const callsIn = (content: readonly Json[]) => content.some(({ type }) => type === 'tool_use');

describe.each(['swap', 'bridge'] as const)('a server that demands thinking next to calls, %s', (loadMode) => {
  const format = messages(loadMode, 'deepseek-v4-pro', BUDGET);
  const start = (effects: object) =>
    startStack({
      model: searchingTwice(),
      rules: { demandsThinking: true },
      effects,
      settings: { PROXY_UPSTREAMS_ANTHROPIC_LOAD: loadMode, PROXY_TOOLS_STRATEGY: 'tool-search' },
    });
  /** Asks three times, the last time the server itself. `keep` is what the client keeps of a message. */
  async function converse(
    stack: Stack,
    isStreamed: boolean,
    keep: (content: readonly Json[]) => readonly Json[],
  ) {
    const history: Json[] = [];
    for (const [question, url] of [
      ['Do it.', stack.proxyUrl],
      ['Again.', stack.proxyUrl],
      ['And again.', stack.upstream.url],
    ] as const) {
      history.push(user(question));
      const client = new Anthropic({ apiKey: 'key', baseURL: url, maxRetries: 0 });
      for (let isCalling = true; isCalling; ) {
        const body = { ...format.body, messages: history } as unknown as Anthropic.MessageCreateParams;
        const message = isStreamed
          ? await client.messages.stream({ ...body, stream: true }).finalMessage()
          : await client.messages.create({ ...body, stream: false });
        const content = keep(message.content as unknown as Json[]);
        history.push(...format.goOn({ content }));
        isCalling = url === stack.proxyUrl && callsIn(content);
      }
    }
    expect(stack.upstream.rejected()).toEqual([]);
    return history;
  }

  test.each([false, true])('takes what a client holds after a search (streamed: %s)', async (isStreamed) => {
    for (const effects of [{}, { sessions: FORGETFUL }]) {
      const stack = await start(effects);
      await converse(stack, isStreamed, (content) => content);
      expect(stack.upstream.requests).toHaveLength(9);
    }
  });

  test('takes thoughts of hidden calls from a client that keeps only those next to its calls', async () => {
    const stack = await start({});
    await converse(stack, false, (content) => (callsIn(content) ? content : withoutThinking(content)));
    await recordsOf(stack, 4);
    for (const { restoredBecause } of stack.records) expect(restoredBecause).toBeUndefined();
  });
});
