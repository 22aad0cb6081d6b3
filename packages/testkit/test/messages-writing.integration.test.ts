import { describe, expect, test } from 'vitest';
import { answer, callTool, say, think } from '../src/upstream/answer-parts.ts';
import type { MessageAnswer } from '../src/upstream/scripted-answer.ts';
import { askMessages, start } from './ask.ts';

const USAGE = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  reasoningTokens: 4,
};
const SIGNATURE = expect.stringMatching(/^\S{100,}$/);

interface SseEvent {
  readonly event: string | undefined;
  readonly data: Record<string, unknown>;
}

async function stream(scripted: MessageAnswer, body: object = {}): Promise<SseEvent[]> {
  const upstream = await start({ script: [scripted] });
  const text = await (await askMessages(upstream, { stream: true, ...body })).text();
  return text
    .trimEnd()
    .split('\n\n')
    .map((event) => {
      const [, name, data = ''] = /^(?:event: (.*)\n)?data: (.*)$/.exec(event) ?? [];
      return { event: name, data: JSON.parse(data) };
    });
}

const messageData = async (scripted: MessageAnswer, body: object = {}): Promise<Record<string, unknown>[]> =>
  (await stream(scripted, body)).map(({ data }) => data).filter(({ type }) => type !== 'ping');

describe('a whole Messages answer', () => {
  test('has the shape of the provider', async () => {
    const redacted = { type: 'redacted_thinking', data: 'secret' };
    const scripted = answer(
      [
        think('Hm', '.'),
        { type: 'block', block: redacted },
        say('One ', 'moment.'),
        callTool('add', { a: 1 }, { id: 'toolu_a' }),
      ],
      {
        id: 'msg_1',
        usage: USAGE,
        fields: { container: { id: 'c1' } },
      },
    );
    const upstream = await start({ script: [scripted] });
    const response = await askMessages(upstream);
    expect(response.headers.get('request-id')).toBe('req_000000000000');
    expect(await response.json()).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE },
        redacted,
        { type: 'text', text: 'One moment.', citations: null },
        { type: 'tool_use', id: 'toolu_a', name: 'add', input: { a: 1 }, caller: { type: 'direct' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 4 },
        server_tool_use: null,
        service_tier: 'standard',
      },
      container: { id: 'c1' },
    });
  });

  test.each([
    ['end', 'end_turn'],
    ['length', 'max_tokens'],
    ['refusal', 'refusal'],
    ['pause', 'pause_turn'],
    ['model_context_window_exceeded', 'model_context_window_exceeded'],
  ])('that stops with %s says %s', async (stop, reason) => {
    const upstream = await start({ script: [answer([say('Hi')], { stop })] });
    expect(await (await askMessages(upstream)).json()).toMatchObject({ stop_reason: reason });
  });
});

describe('a streamed Messages answer', () => {
  test('names every event on a line of its own', async () => {
    const events = await stream(answer([say('Hi')]));
    expect(events.map(({ event }) => event)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.every(({ event, data }) => event === data.type)).toBe(true);
  });

  test('has thoughts, texts and calls in their order', async () => {
    const redacted = { type: 'redacted_thinking', data: 'secret' };
    const parts = [
      think('Hm', '.'),
      { type: 'block', block: redacted } as const,
      say('Hi'),
      callTool('add', ['{"a"', ':1}'], { id: 'toolu_a' }),
    ];
    const [start, ...events] = await messageData(answer(parts, { id: 'msg_1', usage: USAGE }));
    expect(start).toMatchObject({
      type: 'message_start',
      message: { id: 'msg_1', content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
    });
    const block = (index: number, content_block: object): object => ({
      type: 'content_block_start',
      index,
      content_block,
    });
    const delta = (index: number, content: object): object => ({
      type: 'content_block_delta',
      index,
      delta: content,
    });
    const stop = (index: number): object => ({ type: 'content_block_stop', index });
    expect(events).toEqual([
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'thinking_delta', thinking: '.' }),
      delta(0, { type: 'signature_delta', signature: SIGNATURE }),
      stop(0),
      block(1, redacted),
      stop(1),
      block(2, { type: 'text', text: '', citations: null }),
      delta(2, { type: 'text_delta', text: 'Hi' }),
      stop(2),
      block(3, { type: 'tool_use', id: 'toolu_a', name: 'add', input: {}, caller: { type: 'direct' } }),
      delta(3, { type: 'input_json_delta', partial_json: '' }),
      delta(3, { type: 'input_json_delta', partial_json: '{"a"' }),
      delta(3, { type: 'input_json_delta', partial_json: ':1}' }),
      stop(3),
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null, container: null },
        usage: {
          input_tokens: 10,
          cache_creation_input_tokens: 2,
          cache_read_input_tokens: 3,
          output_tokens: 5,
          output_tokens_details: { thinking_tokens: 4 },
          server_tool_use: null,
        },
      },
      { type: 'message_stop' },
    ]);
  });

  test('signs a thought as the whole answer does', async () => {
    const scripted = answer([say('First.'), think('Hm', '.')]);
    const events = await messageData(scripted);
    const upstream = await start({ script: [scripted] });
    const whole = (await (await askMessages(upstream)).json()) as { content: { signature: string }[] };
    const signed = events.find(
      ({ delta }) => (delta as { type?: string } | undefined)?.type === 'signature_delta',
    );
    expect(signed).toMatchObject({ delta: { signature: whole.content[1]?.signature } });
  });

  test('keeps thoughts to itself when only signatures are asked for', async () => {
    const events = await messageData(answer([think('Hm.')]), {
      thinking: { type: 'adaptive', display: 'omitted' },
    });
    expect(JSON.stringify(events)).not.toContain('Hm.');
    expect(events.filter(({ type }) => type === 'content_block_delta')).toMatchObject([
      { delta: { signature: SIGNATURE } },
    ]);
  });

  test('leaves the input of a call open when it was cut off', async () => {
    const events = await messageData(answer([callTool('add', ['{"a":'])], { stop: 'length' }));
    expect(events).toContainEqual(
      expect.objectContaining({ delta: { type: 'input_json_delta', partial_json: '{"a":' } }),
    );
  });

  test('may have the whole input in the start of a call', async () => {
    const events = await messageData(
      answer([callTool('add', { a: 1 })], { deviations: { hasInputInStart: true } }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ content_block: expect.objectContaining({ input: { a: 1 } }) }),
    );
    expect(events.filter(({ type }) => type === 'content_block_delta')).toEqual([]);
  });

  test('may leave out the lines with the names of events', async () => {
    const events = await stream(answer([say('Hi')], { deviations: { hasNoEventLines: true } }));
    expect(events.map(({ event }) => event)).toEqual(Array(7).fill(undefined));
    expect(events[2]?.data).toEqual({ type: 'ping' });
  });
});
