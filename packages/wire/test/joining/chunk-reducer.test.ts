import { expect, test } from 'vitest';
import { SEARCH } from '../format-fixtures.ts';
import { chunk, search, stop, streamChunks } from '../openai-chat/chat-exchange.ts';

const [a, b] = [chunk({ content: 'A' }), chunk({ content: 'B' })];

test('an event that is not a chunk reaches the client when another one follows', () => {
  expect(streamChunks([[a, '{"cut', b, stop('stop')]]).text).toContain('data: {"cut\n');
});

test('an event that is not a chunk does not reach the client if it names the search tool', () => {
  const { text, ends } = streamChunks([[a, `{"${SEARCH}`, b, stop('stop')]]);
  expect(text).not.toContain(SEARCH);
  expect(text).toContain('"B"');
  expect(ends).toMatchObject([{ kind: 'finished' }]);
});

test('a search after the stop reason is dropped, because the client has received the end', () => {
  const { text, ends } = streamChunks([[a, stop('stop'), search()]]);
  expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [] } }]);
  expect(text).not.toContain(SEARCH);
});
