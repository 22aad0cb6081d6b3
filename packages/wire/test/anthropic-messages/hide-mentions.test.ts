import { expect, test } from 'vitest';
import { play, readStream } from './exchange.ts';

const NAME = 'gateway_search_tools';
const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 1 } };
const said = { type: 'text', text: `I use ${NAME}.` };

test('echoes of the search tool do not reach the client, but the model may mention it', () => {
  const events = [
    { type: 'message_start', message: { ...message, tools: [{ name: NAME }] } },
    { type: 'content_block_start', index: 0, content_block: said },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', tool_choice: NAME }, echo: NAME },
    { type: 'message_stop' },
  ];
  const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  expect(readStream(play(stream).sent)).toEqual([
    { type: 'message_start', message },
    events[1],
    events[2],
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    events[4],
  ]);
  const whole = { ...message, content: [said], stop_reason: 'end_turn' };
  expect(JSON.parse(play(JSON.stringify({ ...whole, tools: [{ name: NAME }] })).sent)).toEqual(whole);
});
