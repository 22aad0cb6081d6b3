import Anthropic from '@anthropic-ai/sdk';
import { type ModelPlan, playModel, startUpstream, type Upstream } from '@winnow/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { LoadMode } from '../../src/format/view.ts';
import { createGateway } from './gateway.ts';

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
].map((name) => ({ name, description: `Does ${name}.`, input_schema: { type: 'object' as const } }));

const call = (name: string) => ({ name, input: { for: name } });

/** Four user turns with most of the possible events. */
const PLAN: ModelPlan = {
  thinks: true,
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

async function start(): Promise<Upstream> {
  const upstream = await startUpstream({ model: playModel(PLAN) });
  upstreams.push(upstream);
  return upstream;
}

afterEach(async () => {
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
});

interface TalkOptions {
  readonly model: string;
  readonly isStream: boolean;
  readonly thinking: Anthropic.ThinkingConfigParam;
}

/** Runs the whole conversation, and returns what its reader would see: texts and calls, turn by turn. */
async function talk(client: Anthropic, { model, isStream, thinking }: TalkOptions): Promise<unknown[]> {
  const messages: Anthropic.MessageParam[] = [];
  const seen: unknown[] = [];
  const ask = async (): Promise<Anthropic.Message> => {
    const request = { model, max_tokens: 4096, system: 'Be brief.', tools: TOOLS, thinking, messages };
    return isStream ? client.messages.stream(request).finalMessage() : client.messages.create(request);
  };
  for (const question of ['Weather?', 'And my files?', 'Thanks.', 'The way?']) {
    messages.push({ role: 'user', content: question });
    for (;;) {
      const { content, stop_reason: stopReason } = await ask();
      messages.push({ role: 'assistant', content });
      seen.push({ stopReason, said: content.filter(({ type }) => type !== 'thinking') });
      const calls = content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) break;
      const results = calls.map(({ id, name }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: `${name} is done`,
      }));
      messages.push({ role: 'user', content: results });
    }
  }
  return seen;
}

const MODES: readonly {
  loadMode: Exclude<LoadMode, 'bridge'>;
  model: string;
  thinking: Anthropic.ThinkingConfigParam;
}[] = [
  { loadMode: 'swap', model: 'claude-sonnet-4-0', thinking: { type: 'disabled' } },
  { loadMode: 'swap', model: 'claude-sonnet-4-0', thinking: { type: 'enabled', budget_tokens: 2048 } },
  { loadMode: 'native', model: 'claude-opus-4-6', thinking: { type: 'disabled' } },
  { loadMode: 'native', model: 'claude-opus-4-5', thinking: { type: 'enabled', budget_tokens: 2048 } },
  // This model binds its thinking to the system, the tools and the messages before it.
  { loadMode: 'native', model: 'claude-opus-5-5', thinking: { type: 'adaptive' } },
];

describe.each(MODES)('a conversation in $loadMode mode with $model, thinking $thinking.type', (mode) => {
  test.each([true, false])(
    'reads as it would directly, and nothing of it is rejected (stream: %s)',
    async (isStream) => {
      const [upstream, direct] = await Promise.all([start(), start()]);
      const gateway = createGateway(mode.loadMode);
      const options = { ...mode, isStream };
      const through = new Anthropic({
        apiKey: 'x',
        baseURL: upstream.url,
        fetch: gateway.fetch,
        maxRetries: 0,
      });
      const seen = await talk(through, options);
      const wanted = await talk(
        new Anthropic({
          apiKey: 'x',
          baseURL: direct.url,
          maxRetries: 0,
        }),
        options,
      );
      expect(upstream.rejected()).toEqual([]);
      expect(seen).toEqual(wanted);
      expect(upstream.requests.length).toBeGreaterThan(direct.requests.length);
      // The number of responses with searches before or next to their calls.
      expect(gateway.hiddenTurns).toHaveLength(5);
    },
  );
});

test('sends the same tools on every call of a native conversation', async () => {
  const upstream = await start();
  const gateway = createGateway('native');
  const client = new Anthropic({
    apiKey: 'x',
    baseURL: upstream.url,
    fetch: gateway.fetch,
    maxRetries: 0,
  });
  await talk(client, { model: 'claude-opus-5-5', isStream: true, thinking: { type: 'adaptive' } });
  const tools = upstream.requests.map(({ text }) => /"tools":(\[.*?\]),"thinking"/.exec(text)?.[1]);
  expect(upstream.requests.length).toBeGreaterThan(10);
  expect(tools[0]).toContain('"defer_loading":true');
  expect(new Set(tools).size).toBe(1);
  expect(upstream.requests.map(({ headers }) => headers['anthropic-beta'])).toEqual(
    upstream.requests.map(() => 'advanced-tool-use-2025-11-20'),
  );
});

test('only ever adds to the history that the upstream has seen', async () => {
  const upstream = await start();
  const gateway = createGateway('native');
  const client = new Anthropic({
    apiKey: 'x',
    baseURL: upstream.url,
    fetch: gateway.fetch,
    maxRetries: 0,
  });
  await talk(client, { model: 'claude-opus-5-5', isStream: true, thinking: { type: 'adaptive' } });
  const histories = upstream.requests.map(({ json }) => (json as Anthropic.MessageCreateParams).messages);
  for (const [index, history] of histories.entries()) {
    const earlier = histories[index - 1] ?? [];
    expect(history.slice(0, earlier.length)).toEqual(earlier);
  }
});
