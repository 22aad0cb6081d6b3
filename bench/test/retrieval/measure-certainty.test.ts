import { expect, test } from 'vitest';
import { certaintyLeftOut } from '../../src/retrieval/certainty-left-out.ts';
import { certaintyMarks, measureCertainty } from '../../src/retrieval/measure-certainty.ts';
import type { RetrievalSet } from '../../src/retrieval/read-sets.ts';

const NONE = { answerable: [], removed: [], foreign: [], foreignShort: [] };

function setOf(name: string, words: readonly string[]): RetrievalSet {
  return {
    name,
    tools: words.map((word) => ({ name: word, description: `Does ${word}.`, parameters: undefined })),
    queries: words.map((word) => ({
      id: word,
      text: `please ${word}`,
      gold: new Set([word]),
      candidates: undefined,
    })),
    warnings: [],
  };
}

test('measures what is lost, and what is found without an answer', async () => {
  const measured = await measureCertainty([setOf('mail', ['send', 'archive']), setOf('music', ['dance'])]);
  expect(measured).toMatchObject([
    { set: 'mail', lost: 0, removed: 0, foreign: 0, foreignShort: 0 },
    { set: 'music', lost: 0, removed: 0, foreign: 0, foreignShort: 0 },
  ]);
  expect(certaintyMarks(measured, 'bm25').map(({ isMet }) => isMet)).toEqual([true, true]);
});

test('parts of one benchmark are not foreign to one another, and their marks can be missed', async () => {
  const [one] = await measureCertainty([setOf('mail', ['send']), setOf('mail-more', ['archive'])]);
  expect(one).toMatchObject({ foreign: undefined, foreignShort: undefined });
  const bad = { set: 'x', lost: 0.02, removed: 1, foreign: 1, foreignShort: 0.5, confidences: NONE };
  expect(certaintyMarks([bad], 'bm25').map(({ isMet }) => isMet)).toEqual([false, false]);
});

test('chooses the least confidence on the other sets, and judges it on the one left out', () => {
  const sure = (confidence: number, recall5 = 1) => ({ confidence, recall5 });
  const of = (set: string, answerable: readonly number[], foreign: readonly number[]) => ({
    ...{ set, lost: 0, removed: 0, foreign: 0, foreignShort: 0 },
    confidences: { ...NONE, answerable: answerable.map((one) => sure(one)), foreign },
  });
  const sets = [of('a', [0.4, 0.6], [0.1, 0.3, 0.5, 0.7]), of('b', [0.2, 0.3], [0.1, 0.3])];
  const [a, b] = certaintyLeftOut(sets, 'bm25').rows;
  // On b, 0.2 is the highest that loses nothing; on a, 0.4 is, which loses all of b.
  expect(a).toEqual(['a', '0.200', '0.000', '–', '0.750', '–', '–', '0.625', '–']);
  expect(b).toEqual(['b', '0.400', '1.000', '–', '0.000', '–', '–', '0.625', '–']);
});
