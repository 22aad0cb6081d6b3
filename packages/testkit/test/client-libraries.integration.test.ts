import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { playModel } from '../src/model/play-model.ts';
import { answer, callTool, say, think } from '../src/upstream/answer-parts.ts';
import { createGate } from '../src/upstream/gate.ts';
import { waitFor } from '../src/upstream/interruption.ts';
import type { ScriptedAnswer } from '../src/upstream/scripted-answer.ts';
import type { Upstream } from '../src/upstream/start-upstream.ts';
import { start } from './ask.ts';

// What a client makes of it is the proof that the upstream speaks the format: the officials are the strictest readers.

const PARTS = [
  say('Grüße ', '🌦'),
  callTool('add', { a: 1 }, { id: 'call_a' }),
  callTool('sub', { b: 'ü' }, { id: 'call_b' }),
];
const USAGE = { inputTokens: 10, outputTokens: 5 };
const DELIVERIES = [
  {},
  { cut: 'bytes' },
  { lineEnd: '\r\n' },
  { before: 'comment' },
  { before: 'ping' },
  { isGzipped: true, cut: 'bytes' },
] as const;

const openai = (upstream: Upstream): OpenAI =>
  new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'test', maxRetries: 0 });
const anthropic = (upstream: Upstream): Anthropic =>
  new Anthropic({ baseURL: upstream.url, apiKey: 'test', maxRetries: 0 });

const chat = (content = 'Go') => ({ model: 'gpt-test', messages: [{ role: 'user' as const, content }] });
const message = (content = 'Go') => ({ ...chat(content), model: 'claude-opus-5-5', max_tokens: 2048 });

describe('the OpenAI library', () => {
  const expected = {
    message: {
      content: 'Grüße 🌦',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } },
        { id: 'call_b', type: 'function', function: { name: 'sub', arguments: '{"b":"ü"}' } },
      ],
    },
    finish_reason: 'tool_calls',
  };

  test('reads a whole answer', async () => {
    const upstream = await start({ script: [answer(PARTS, { usage: USAGE })] });
    const completion = await openai(upstream).chat.completions.create(chat());
    expect(completion.choices).toMatchObject([expected]);
    expect(completion.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
  });

  test.each(DELIVERIES)('reads a stream delivered as %j', async (delivery) => {
    const upstream = await start({ script: [answer(PARTS, { usage: USAGE, delivery })] });
    const stream = openai(upstream).chat.completions.stream({
      ...chat(),
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices).toMatchObject([expected]);
    expect(completion.usage).toMatchObject({ total_tokens: 15 });
  });

  test('sees a rejection and an error as its own kinds', async () => {
    const upstream = await start({
      script: [{ kind: 'error', status: 429, headers: { 'retry-after': '3' } }],
    });
    const client = openai(upstream);
    await expect(client.chat.completions.create({ ...chat(), tools: [] })).rejects.toMatchObject({
      name: 'Error',
      status: 400,
      param: 'tools',
      code: 'empty_array',
    });
    await expect(client.chat.completions.create(chat())).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });

  test('throws at an error in the middle of a stream', async () => {
    const upstream = await start({ script: [answer([say('one', { type: 'error', message: 'Too busy' })])] });
    await expect(openai(upstream).chat.completions.stream(chat()).finalContent()).rejects.toThrow('Too busy');
  });

  test('runs a conversation with a played model to its end', async () => {
    const tools = ['get_weather', 'send_mail'].map((name) => ({
      type: 'function' as const,
      function: {
        name,
        description: name,
        parameters: { type: 'object' as const, properties: {} },
        function: () => `${name} ran`,
      },
    }));
    const steps = [
      { searchFor: ['weather'], thenCall: [{ name: 'get_weather', input: { city: 'Bonn' } }] },
      { searchFor: ['mail'], thenCall: [{ name: 'send_mail', input: {} }] },
    ];
    const upstream = await start({ model: playModel({ turns: [{ steps }] }) });
    const runner = openai(upstream).chat.completions.runTools({ ...chat(), tools });
    expect(await runner.finalContent()).toBe('Turn 1 is done ✓ send_mail ran');
    expect(upstream.requests).toHaveLength(3);
    expect(upstream.rejected()).toEqual([]);
  });
});

describe('the Anthropic library', () => {
  const expected = [
    { type: 'thinking', thinking: 'Hm.', signature: expect.any(String) },
    { type: 'text', text: 'Grüße 🌦' },
    { type: 'tool_use', id: 'call_a', name: 'add', input: { a: 1 } },
    { type: 'tool_use', id: 'call_b', name: 'sub', input: { b: 'ü' } },
  ];
  const scripted = (more: object = {}): ScriptedAnswer =>
    answer([think('H', 'm.'), ...PARTS], { usage: USAGE, ...more });

  test('reads a whole answer', async () => {
    const upstream = await start({ script: [scripted()] });
    const read = await anthropic(upstream).messages.create(message());
    expect(read).toMatchObject({
      content: expected,
      stop_reason: 'tool_use',
      usage: { input_tokens: 10, output_tokens: 5 },
    });
  });

  test.each(DELIVERIES)('reads a stream delivered as %j', async (delivery) => {
    const upstream = await start({ script: [scripted({ delivery })] });
    const read = await anthropic(upstream).messages.stream(message()).finalMessage();
    expect(read).toMatchObject({
      content: expected,
      stop_reason: 'tool_use',
      usage: { input_tokens: 10, output_tokens: 5 },
    });
  });

  test('reads text before the rest has been sent', async () => {
    const gate = createGate();
    const upstream = await start({ script: [answer([say('one', waitFor(gate), 'two')])] });
    const stream = anthropic(upstream).messages.stream(message());
    const first = await new Promise((resolve) => stream.once('text', resolve));
    gate.open();
    expect(first).toBe('one');
    expect(await stream.finalText()).toBe('onetwo');
  });

  test('sends back thoughts that the upstream knows, whole or streamed', async () => {
    const upstream = await start({ script: [scripted(), scripted({ id: 'msg_2' }), answer([say('Done.')])] });
    const client = anthropic(upstream);
    const base = {
      ...message(),
      thinking: { type: 'enabled' as const, budget_tokens: 1024 },
      tools: ['add', 'sub'].map((name) => ({ name, input_schema: { type: 'object' as const } })),
    };
    const history: Anthropic.MessageParam[] = [...base.messages];
    const first = await client.messages.stream(base).finalMessage();
    const result = (id: string) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'ok' });
    const results = { role: 'user' as const, content: [result('call_a'), result('call_b')] };
    history.push({ role: 'assistant', content: first.content }, results);
    const [, ...later] = upstream.requests;
    expect(later).toEqual([]);
    await expect(client.messages.create({ ...base, system: 'New.', messages: history })).rejects.toThrow(
      /does not match/,
    );
    await client.messages.create({ ...base, messages: history });
    expect(upstream.requests.map(({ rejection }) => rejection?.status)).toEqual([undefined, 400, undefined]);
  });

  test('counts tokens', async () => {
    const upstream = await start();
    const { max_tokens: _, ...counted } = message();
    expect((await anthropic(upstream).messages.countTokens(counted)).input_tokens).toBeGreaterThan(0);
  });

  test('sees a rejection and an error as its own kinds', async () => {
    const upstream = await start({ script: [{ kind: 'error', status: 529 }] });
    const client = anthropic(upstream);
    await expect(client.messages.create({ ...message(), tools: [] })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    );
    await expect(client.messages.create(message())).rejects.toMatchObject({
      status: 529,
      type: 'overloaded_error',
    });
  });

  test('throws at an error in the middle of a stream', async () => {
    const upstream = await start({ script: [answer([say('one', { type: 'error', message: 'Too busy' })])] });
    await expect(anthropic(upstream).messages.stream(message()).finalText()).rejects.toThrow('Too busy');
  });

  test('throws at a stream that ends too early', async () => {
    const upstream = await start({ script: [answer([say('one', { type: 'end' })])] });
    await expect(anthropic(upstream).messages.stream(message()).finalText()).rejects.toThrow();
  });
});
