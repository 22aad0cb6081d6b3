import { expect, test } from 'vitest';
import {
  chunk as generation,
  joinWholes,
  partsIn,
  partsOf,
  STOP,
  search as searchPart,
  streamChunks as streamParts,
} from '../gemini/exchange.ts';
import { chunk, chunksOf, search, stop, streamChunks } from '../openai-chat/chat-exchange.ts';

const SEAMS: readonly (readonly [string, string, string])[] = [
  ['I look.', 'Found it.', 'I look.\n\nFound it.'],
  ['I look. ', 'Found it.', 'I look. Found it.'],
  ['I look.', '\nFound it.', 'I look.\nFound it.'],
  ['', 'Found it.', 'Found it.'],
];

test.each(SEAMS)('texts of two rounds are set apart in a Chat stream: %j, %j', (first, second, joined) => {
  const run = streamChunks([
    [chunk({ role: 'assistant', content: first }), search(), stop()],
    [chunk({ content: second }), chunk({ content: 'Yes.' }), stop('stop')],
  ]);
  expect(
    chunksOf(run)
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join(''),
  ).toBe(`${joined}Yes.`);
});

test.each(SEAMS)(
  'texts of two rounds are set apart in a Gemini response: %j, %j',
  (first, second, joined) => {
    const rounds = [generation([{ text: first }, searchPart()], STOP), generation([{ text: second }], STOP)];
    const textOf = (parts: readonly Record<string, unknown>[]) => parts.map(({ text }) => text).join('');
    expect(textOf(partsOf(streamParts(rounds.map((round) => [round]))))).toBe(joined);
    expect(textOf(partsIn(JSON.parse(joinWholes(rounds).text)))).toBe(joined);
  },
);
