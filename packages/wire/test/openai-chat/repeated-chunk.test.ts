import { afterEach, expect, test, vi } from 'vitest';
import { RepeatedChunks } from '../../src/openai-chat/repeated-chunk.ts';
import { SEARCH } from '../format-fixtures.ts';
import { chunk, search, stop, streamChunks } from './chat-exchange.ts';

afterEach(() => void vi.restoreAllMocks());

/** Numbers that look random, the same in each run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const TEXTS = [
  'word',
  ' two words',
  'a "quoted" text',
  'line\nfeed',
  '\\',
  '',
  'ü😀',
  `${SEARCH}`,
  '{"content":"x"}',
  '"',
];

/** Chunks of many shapes, of which some repeat each other. */
function chunksFrom(below: (count: number) => number, id: string): unknown[] {
  const text = () => TEXTS[below(TEXTS.length)]!;
  const make = (): unknown => {
    const plain = { ...(chunk({ content: text() }) as object), id };
    switch (below(12)) {
      case 0:
        return { ...plain, obfuscation: text() };
      case 1:
        return { ...plain, usage: below(2) === 0 ? null : { prompt_tokens: 1, completion_tokens: 2 } };
      case 2:
        return chunk({ content: text(), reasoning: text() });
      case 3:
        return { obfuscation: 'first', ...plain };
      case 4:
        return JSON.stringify(plain, null, 1);
      case 5:
        return chunk({ role: 'assistant', content: text() });
      case 6:
        return { ...plain, content: text() };
      case 7:
        return { ...plain, obfuscation: 'abc' };
      default:
        return plain;
    }
  };
  return Array.from({ length: 30 }, make);
}

test.each(Array.from({ length: 60 }, (_, seed) => seed))(
  'gives the client and the history what reading every chunk gives, seed %i',
  (seed) => {
    const below = numbersFrom(seed + 1);
    const first = [...chunksFrom(below, 'one'), search(), stop()];
    const second = [...chunksFrom(below, 'two'), stop('stop')];
    const options = { wantsUsage: seed % 2 === 0 };
    const shortened = streamChunks([first, second], options);
    vi.spyOn(RepeatedChunks.prototype, 'read').mockReturnValue(undefined);
    expect(shortened).toEqual(streamChunks([first, second], options));
  },
);

test.each([
  ['as they are', {}],
  ['with filling characters, as OpenAI sends them', { obfuscation: 'aX3' }],
])('reads one of many chunks %s', (_, more) => {
  const learn = vi.spyOn(RepeatedChunks.prototype, 'learn');
  const texts = Array.from({ length: 50 }, (_, at) => `word ${at} `);
  const run = streamChunks([
    [search(), stop()],
    [...texts.map((content) => ({ ...(chunk({ content }) as object), id: 'two', ...more })), stop('stop')],
  ]);
  expect(run.text.match(/word \d+ /g)).toEqual(texts);
  expect(learn.mock.calls.length).toBeLessThan(4);
});
