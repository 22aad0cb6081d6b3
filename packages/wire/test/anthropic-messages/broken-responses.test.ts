import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { brokenForms } from '../broken-responses.ts';
import { play, readWritten, type WrittenEvent } from './exchange.ts';

const SETTINGS = { numRuns: inject('isExhaustive') ? 2_000 : 40, seed: 7 };

const streamOf = (events: readonly WrittenEvent[]) =>
  events.map((event) => `event: ${event?.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const search = { type: 'tool_use', id: 'toolu_s', name: 'gateway_search_tools', input: { query: 'x' } };
const wholeOf = (...content: readonly unknown[]) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
});
const plain = wholeOf(
  { type: 'thinking', thinking: 'Hm.', signature: 's' },
  { type: 'text', text: 'Hi.' },
  { type: 'tool_use', id: 'toolu_1', name: 'weather_get', input: { city: 'Bern' } },
);

describe('elements that are not blocks', () => {
  test('pass unchanged in a stream', () => {
    const events = readWritten('text');
    const odd = { type: 'content_block_start', index: 'one', content_block: null };
    const stream = streamOf([events[0]!, odd, ...events.slice(1)]);
    expect(play(stream).sent).toBe(stream);
  });

  test('stay in a whole response from which a search is taken, and are not sent back', () => {
    const { ends, sent } = play(
      JSON.stringify(wholeOf(null, 7, search)),
      JSON.stringify(wholeOf({ type: 'text', text: 'Hi.' })),
    );
    expect(JSON.parse(sent)).toMatchObject({ content: [null, 7, { type: 'text', text: 'Hi.' }] });
    expect(ends[0]).toMatchObject({ kind: 'searching' });
    expect(ends[0]?.kind === 'searching' && JSON.parse(ends[0].turn.message).content).toEqual([search]);
  });
});

test('a whole response without a search passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms([plain]), (body) => {
      const text = JSON.stringify(body);
      fc.pre(text.startsWith('{'));
      expect(play(text).sent).toBe(text);
    }),
    SETTINGS,
  );
});

/** The end, and calls without an id or with whole arguments, are repaired for clients. */
const [start, ...blocks] = readWritten('unknown-parts').slice(0, -2);
const end = readWritten('unknown-parts').slice(-2);

test('a stream without a search passes unchanged, whatever is broken before its end', () => {
  fc.assert(
    fc.property(brokenForms([[start!, ...blocks]]), (broken) => {
      fc.pre(Array.isArray(broken) && broken.every((event) => event?.type !== 'message_delta'));
      const stream = streamOf([...broken, ...end]);
      expect(play(stream).sent).toBe(stream);
    }),
    SETTINGS,
  );
});

test('never throws, whatever is broken in rounds that search', () => {
  const streams = ['thinking-search', 'search-with-call', 'parallel-searches', 'server-tools'].map(
    readWritten,
  );
  const broken = brokenForms(streams).filter(Array.isArray);
  const wholes = brokenForms([wholeOf(search), wholeOf(search, { type: 'text', text: 'Hi.' }), plain]);
  fc.assert(
    fc.property(broken, broken, wholes, wholes, (first, second, ...bodies) => {
      expect(() => play(streamOf(first), streamOf(second))).not.toThrow();
      const texts = bodies.map((body) => JSON.stringify(body));
      fc.pre(texts.every((text) => text.startsWith('{')));
      expect(() => play(...texts)).not.toThrow();
    }),
    SETTINGS,
  );
});
