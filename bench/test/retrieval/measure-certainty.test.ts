import { expect, test } from 'vitest';
import { certaintyMarks, measureCertainty } from '../../src/retrieval/measure-certainty.ts';
import type { RetrievalSet } from '../../src/retrieval/read-sets.ts';

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
  expect(measured).toEqual([
    { set: 'mail', lost: 0, removed: 0, foreign: 0, foreignShort: 0 },
    { set: 'music', lost: 0, removed: 0, foreign: 0, foreignShort: 0 },
  ]);
  expect(certaintyMarks(measured).map(({ isMet }) => isMet)).toEqual([true, true]);
});

test('parts of one benchmark are not foreign to one another, and their marks can be missed', async () => {
  const [one] = await measureCertainty([setOf('mail', ['send']), setOf('mail-more', ['archive'])]);
  expect(one).toMatchObject({ foreign: undefined, foreignShort: undefined });
  const bad = { set: 'x', lost: 0.02, removed: 1, foreign: 1, foreignShort: 0.5 };
  expect(certaintyMarks([bad]).map(({ isMet }) => isMet)).toEqual([false, false]);
});
