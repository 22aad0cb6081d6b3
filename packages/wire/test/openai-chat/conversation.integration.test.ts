import {
  type MessageAnswer,
  type Model,
  type ModelPlan,
  type ProviderRules,
  playModel,
  startUpstream,
  type Upstream,
} from '@winnow/testkit';
import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { afterEach, describe, expect, test } from 'vitest';
import { createChatGateway } from './chat-gateway.ts';

type Deviations = NonNullable<MessageAnswer['deviations']>;

/** Ten tools; all but the first are deferred. */
const TOOLS = [
  'kept_clock',
  'weather_get',
  'mail_send',
  'mail_read',
  'file_read',
  'file_write',
  'calendar_add',
  'calendar_list',
  'music_play',
  'map_route',
].map((name) => ({
  type: 'function' as const,
  function: { name, description: `Does ${name}.`, parameters: { type: 'object' } },
}));

const call = (name: string) => ({ name, input: { for: name } });

/** Four user turns with most of the possible events. */
const PLAN: ModelPlan = {
  turns: [
    { steps: [{ say: 'I look.', searchFor: ['weather'], thenCall: [call('weather_get')] }] },
    {
      steps: [
        {
          searchFor: [['file', 'nothing of the kind'], 'calendar'],
          thenCall: [call('file_read'), call('calendar_add')],
        },
        {
          thenCall: [call('weather_get'), call('kept_clock')],
          searchBeside: ['mail'],
          besidePosition: 'before',
        },
        { thenCall: [call('mail_send')], searchBeside: ['music'] },
        { thenCall: [call('music_play')] },
      ],
    },
    { answer: 'You are welcome.' },
    { steps: [{ thenCall: [call('weather_get')] }, { searchFor: ['map'], thenCall: [call('map_route')] }] },
  ],
};

const upstreams: Upstream[] = [];

async function start(deviations: Deviations = {}, rules: Partial<ProviderRules> = {}): Promise<Upstream> {
  const upstream = await startUpstream({ model: deviate(playModel(PLAN), deviations), rules });
  upstreams.push(upstream);
  return upstream;
}

function deviate(model: Model, deviations: Deviations): Model {
  return async (conversation, request) => {
    const answer = await model(conversation, request);
    return answer.kind === 'message' ? { ...answer, deviations } : answer;
  };
}

afterEach(async () => {
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
});

/**
 * Runs the whole conversation, and returns what its reader would see: texts, calls and stop reasons, response
 * by response.
 */
async function talk(client: OpenAI, isStream: boolean): Promise<unknown[]> {
  const messages: ChatCompletionMessageParam[] = [];
  const seen: unknown[] = [];
  const ask = (): Promise<ChatCompletion> => {
    const body = { model: 'gpt-test', tools: TOOLS, messages };
    return isStream
      ? client.chat.completions.stream(body).finalChatCompletion()
      : client.chat.completions.create(body);
  };
  for (const question of ['Weather?', 'And my files?', 'Thanks.', 'The way?']) {
    messages.push({ role: 'user', content: question });
    for (;;) {
      const { message } = (await ask()).choices[0]!;
      const calls = (message.tool_calls ?? []).filter((each) => each.type === 'function');
      messages.push(message);
      seen.push([
        message.content,
        calls.map(({ function: { name, arguments: given } }) => [name, parse(given)]),
      ]);
      if (calls.length === 0) break;
      messages.push(
        ...calls.map(({ id, function: { name } }) => ({
          role: 'tool' as const,
          tool_call_id: id,
          content: `${name} is done`,
        })),
      );
    }
  }
  return seen;
}

/** Some servers send an object. */
function parse(given: unknown): unknown {
  return typeof given === 'string' ? JSON.parse(given) : given;
}

function clientOf(upstream: Upstream, through?: typeof fetch): OpenAI {
  return new OpenAI({
    apiKey: 'key',
    baseURL: `${upstream.url}/v1`,
    maxRetries: 0,
    ...(through !== undefined && { fetch: through }),
  });
}

const SERVERS: readonly (readonly [name: string, deviations: Deviations])[] = [
  ['OpenAI', {}],
  ['a server that numbers all calls 0', { callIndex: 'zero' }],
  ['a server that does not number calls', { callIndex: 'absent' }],
  ['a server that counts calls from 1', { callIndex: 'from-one' }],
  ['a server that sends calls whole', { hasWholeCalls: true }],
  ['a server that sends calls whole and numbers all 0', { hasWholeCalls: true, callIndex: 'zero' }],
  ['a server that interleaves calls', { interleavesCalls: true }],
  ['a server that repeats the role', { repeatsRole: true }],
  ['a server that begins without a choice', { hasLeadingChunk: true }],
  ['a server that sends no end', { hasNoDone: true }],
  ['a server that stops as if there were no calls', { stopsAsText: true }],
];

describe.each(SERVERS)('a conversation with %s', (_, deviations) => {
  test.each([true, false])(
    'reads as it would directly, and nothing of it is rejected (stream: %s)',
    async (isStream) => {
      const [upstream, direct] = await Promise.all([start(deviations), start()]);
      const gateway = createChatGateway();
      const seen = await talk(clientOf(upstream, gateway.fetch), isStream);
      expect(upstream.rejected()).toEqual([]);
      expect(seen).toEqual(await talk(clientOf(direct), isStream));
      expect(upstream.requests.length).toBeGreaterThan(direct.requests.length);
      // The number of responses with searches before or next to their calls.
      expect(gateway.hiddenTurns).toHaveLength(5);
    },
  );
});

/**
 * With or without a gateway, a client cannot answer calls without ids in a whole response; in streams, ids
 * are made up.
 */
const SERVERS_WITHOUT_IDS: readonly (readonly [name: string, deviations: Deviations])[] = [
  ['a server without ids', { hasNoCallIds: true }],
  ['a server without ids and numbers', { hasNoCallIds: true, callIndex: 'absent', hasWholeCalls: true }],
];

test.each(SERVERS_WITHOUT_IDS)(
  'a streamed conversation with %s reads as with OpenAI',
  async (_, deviations) => {
    const [upstream, direct] = await Promise.all([start(deviations), start()]);
    const seen = await talk(clientOf(upstream, createChatGateway().fetch), true);
    expect(upstream.rejected()).toEqual([]);
    expect(seen).toEqual(await talk(clientOf(direct), true));
  },
);

describe('a conversation with a server that defers natively', () => {
  test.each([true, false])(
    'reads as it would directly, with the same tools on every request (stream: %s)',
    async (isStream) => {
      const [upstream, direct] = await Promise.all([start({}, { hasChatDeferral: true }), start()]);
      const gateway = createChatGateway('native');
      const seen = await talk(clientOf(upstream, gateway.fetch), isStream);
      expect(upstream.rejected()).toEqual([]);
      expect(seen).toEqual(await talk(clientOf(direct), isStream));
      expect(upstream.requests.length).toBeGreaterThan(direct.requests.length);
      const bodies = upstream.requests.map(({ json }) => json as { messages: unknown[]; tools: unknown[] });
      expect(new Set(bodies.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
      expect(bodies[0]!.tools).toHaveLength(TOOLS.length + 1);
      for (const [index, { messages }] of bodies.entries()) {
        const earlier = bodies[index - 1]?.messages ?? [];
        expect(messages.slice(0, earlier.length)).toEqual(earlier);
      }
    },
  );
});

test('a server that splits names searches like others', async () => {
  const upstream = await start({ splitsNames: true });
  const gateway = createChatGateway();
  const seen = await talk(clientOf(upstream, gateway.fetch), true);
  expect(upstream.rejected()).toEqual([]);
  expect(JSON.stringify(seen)).not.toContain('search');
  // The client puts names together as it would without a gateway.
  const direct = await talk(clientOf(await start({ splitsNames: true })), true);
  expect(seen).toEqual(direct);
});

test.each([true, false])('only ever adds to what the upstream has seen (stream: %s)', async (isStream) => {
  const upstream = await start();
  await talk(clientOf(upstream, createChatGateway().fetch), isStream);
  const bodies = upstream.requests.map(({ json }) => json as { messages: unknown[]; tools: unknown[] });
  for (const [index, { messages, tools }] of bodies.entries()) {
    const earlier = bodies[index - 1] ?? { messages: [], tools: [] };
    expect(messages.slice(0, earlier.messages.length)).toEqual(earlier.messages);
    expect(tools.slice(0, earlier.tools.length)).toEqual(earlier.tools);
  }
});
