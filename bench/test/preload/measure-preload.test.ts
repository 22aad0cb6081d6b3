import { expect, it } from 'vitest';
import { measurePreload } from '../../src/preload/measure-preload.ts';
import type { RetrievalSet, SetQuery } from '../../src/retrieval/read-sets.ts';

const query = (id: string, text: string, ...gold: string[]): SetQuery => ({
  id,
  text,
  gold: new Set(gold),
  candidates: undefined,
});

const tool = (name: string) => ({ name, description: '', parameters: undefined });

const SET: RetrievalSet = {
  name: 'small',
  tools: [
    ...['send_mail', 'read_file', 'weather_now'].map(tool),
    ...Array.from({ length: 20 }, (_, number) => tool(`gauge_${String.fromCharCode(97 + number)}x`)),
  ],
  queries: [
    query('1', 'send a mail', 'send_mail'),
    query('2', 'the weather, and read the file', 'weather_now', 'read_file'),
    query('3', 'hello', 'send_mail'),
    query('4', 'what no one has', 'no_such_tool'),
  ],
  warnings: [],
};

it('counts the needs that preloaded tools meet, and the conversations that need no search', async () => {
  const measured = await measurePreload(SET);
  // A query whose tool does not exist does not count.
  expect(measured).toMatchObject({ conversations: 3, tools: 23 });
  const [none, three] = measured.counts;
  expect(none).toMatchObject({
    count: 0,
    needsMet: 0,
    withoutSearch: 0,
    tokens: 0,
    sameGrown: 1,
    sameTrimmed: 1,
  });
  expect(three!.count).toBe(3);
  expect(three!.needsMet).toBeCloseTo(2 / 3);
  expect(three!.withoutSearch).toBeCloseTo(2 / 3);
  expect(three!.tokens).toBeGreaterThan(0);
  expect(three!.tokens).toBeLessThan(measured.tokensOfAll / 5);
  // No later tool fits the request, and the next message asks for something else.
  expect(three).toMatchObject({ sameGrown: 1, sameTrimmed: 0, needsMetTrimmed: 0 });
});
