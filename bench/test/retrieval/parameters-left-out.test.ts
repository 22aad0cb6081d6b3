import { expect, test } from 'vitest';
import { bestWithout, parametersLeftOut, type Trial } from '../../src/retrieval/parameters-left-out.ts';
import type { RetrievalSet } from '../../src/retrieval/read-sets.ts';

const trial = (change: Trial['change'], values: Readonly<Record<string, number>>): Trial => ({
  change,
  ndcg10: new Map(Object.entries(values)),
});

test('chooses what gains most on all sets but one, and costs none of these more than a point', () => {
  const today = trial({}, { a: 80, b: 70, c: 60 });
  const good = trial({ k1: 1 }, { a: 80.5, b: 70.5, c: 50 });
  const better = trial({ k1: 2 }, { a: 83, b: 68.5, c: 61 });
  const worse = trial({ k1: 3 }, { a: 79.5, b: 70, c: 60 });
  expect(bestWithout('c', [worse, good, better], today)).toEqual([good]);
  expect(bestWithout('b', [worse, good, better], today)).toEqual([better]);
});

test('says what was chosen without each set, and what it gains there', async () => {
  const setOf = (name: string, words: readonly string[]): RetrievalSet => ({
    name,
    tools: words.map((word) => ({ name: word, description: `Does ${word}.`, parameters: undefined })),
    queries: words.map((word) => ({ id: word, text: word, gold: new Set([word]), candidates: undefined })),
    warnings: [],
  });
  const shown: string[] = [];
  const { rows } = await parametersLeftOut(
    [setOf('mail', ['send', 'archive']), setOf('music', ['dance'])],
    (line) => shown.push(line),
  );
  expect(rows).toEqual([
    ['mail', 'as today', '+0.00', '+0.00'],
    ['music', 'as today', '+0.00', '+0.00'],
    ['mean', '', '', '+0.00'],
  ]);
  expect(shown).toContain('parameters: nameCover 0.3');
});
