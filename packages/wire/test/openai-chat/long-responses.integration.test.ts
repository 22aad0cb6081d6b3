import { expect, test } from 'vitest';
import { calls, chunk, search, stop, streamChunks } from './chat-exchange.ts';

test('a search in an answer too long to be sent back is a failed round, and a call is none', () => {
  const role = chunk({ role: 'assistant', content: '' });
  const long = Array.from({ length: 34 }, () => chunk({ content: 'x'.repeat(1024 * 1024) }));
  const call = calls({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } });
  const searching = streamChunks([[role, ...long, search(), stop()]]);
  expect(searching.ends).toMatchObject([{ kind: 'failed', reason: 'held_too_much' }]);
  const calling = streamChunks([[role, ...long, call, stop()]]);
  expect(calling.ends).toMatchObject([{ kind: 'finished', turn: { realCalls: [{ id: 'a', name: 'one' }] } }]);
  expect(calling.text.length).toBeGreaterThan(34 * 1024 * 1024);
});
