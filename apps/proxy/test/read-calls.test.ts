import { FORMATS } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { readCalls } from '../src/exchange/observe-exchange.ts';
import { RequestMemory } from '../src/sessions/request-memory.ts';
import { responseOf } from './exchange-under-test.ts';
import { viewOf } from './request-view.ts';

const format = FORMATS.find(({ name }) => name === 'anthropic-messages')!;

function read(body: string) {
  const response = responseOf(200, body, { type: 'text/event-stream' });
  const view = viewOf({ tools: ['alpha'], more: { stream: true } });
  const memory = new RequestMemory({ maxBytes: 1_000_000, heapShare: () => 0 });
  return readCalls(response, format, view, memory.open('client'));
}

const event = (type: string, more: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

const CALLING = [
  event('message_start', {
    message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] },
  }),
  event('content_block_start', {
    index: 0,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'alpha', input: {} },
  }),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } }),
  event('message_stop', {}),
].join('');

describe('a response that passes', () => {
  test('gives the names of its calls', async () => {
    expect(await read(CALLING)).toMatchObject({ calledNames: ['alpha'] });
  });

  test('gives nothing if it is larger than responses that are read', async () => {
    expect(await read(`${'data:\n'.repeat(200_000)}\n${CALLING}`)).toBeUndefined();
  });

  test('is read without an event of too many values', async () => {
    expect(await read(`data: ${'['.repeat(100_000)}\n\n${CALLING}`)).toMatchObject({
      calledNames: ['alpha'],
    });
  });
});
