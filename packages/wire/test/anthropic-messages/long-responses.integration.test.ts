import { expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { sse } from '../../src/framing/sse.ts';
import { encodeAll } from '../frames.ts';
import { eventsOf, PLAN, streamOf, VIEW } from './exchange.ts';

test('a response that is too long to keep is still passed on, unless it searches', () => {
  const joiner = anthropicMessages.joining.joinResponses(VIEW, PLAN);
  const delta = { type: 'text_delta', text: 'x'.repeat(1024 * 1024) };
  const piece = `data: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta })}\n\n`;
  const [head, tail] = streamOf('text').split(/(?=event: content_block_delta)/, 2) as [string, string];
  const feed = (text: string) =>
    eventsOf(text).reduce((chars, event) => chars + encodeAll(sse, joiner.feed(event)).length, 0);
  feed(head);
  for (let count = 0; count < 40; count += 1) expect(feed(piece)).toBeGreaterThan(1024 * 1024);
  feed(tail + streamOf('text').split(/(?=event: content_block_stop)/)[1]!);
  expect(joiner.endRound()).toMatchObject({ kind: 'finished', stopReason: 'end_turn' });
});
