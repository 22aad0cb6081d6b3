import { expect, test } from 'vitest';
import { scoredConcepts, TellingTerms } from '../src/stores/postgres/telling-terms.ts';

const asked = (term: string, gain: number, documents: number) => ({ term, gain, documents });

const CONCEPTS = scoredConcepts([
  { terms: [asked('doorbell', 6, 400), asked('bell', 1, 9_000)] },
  { terms: [asked('annual', 4, 4_000), asked('annual', 2, 4_000)] },
  { terms: [asked('bulk', 1, 30_000)] },
]);

test('scores each term of a concept once, the best three, and ten concepts', () => {
  const terms = [asked('a', 1, 1), asked('b', 4, 1), asked('a', 3, 1), asked('c', 2, 1), asked('d', 0.5, 1)];
  const concepts = Array.from({ length: 12 }, () => ({ terms }));
  const scored = scoredConcepts(concepts);
  expect(scored.length).toBe(10);
  expect(scored[0]!.terms.map(({ term, gain }) => [term, gain])).toEqual([
    ['b', 4],
    ['a', 3],
    ['c', 2],
  ]);
});

test('puts the terms of all concepts in the order of their gains', () => {
  expect(new TellingTerms(CONCEPTS).terms.map(({ term }) => term)).toEqual([
    'doorbell',
    'annual',
    'bell',
    'bulk',
  ]);
});

test('knows the most that a tool without the first terms scores: every other one in its name', () => {
  const telling = new TellingTerms(CONCEPTS);
  expect(telling.mostWithout(1)).toBeCloseTo((4 + 1 + 1) * 0.608 * 3, 6);
  expect(telling.mostWithout(2)).toBeCloseTo((1 + 1) * 0.608 * (1 + 4 / 3), 6);
  expect(telling.mostWithout(3)).toBeCloseTo(0.608 * (1 + 2 / 3), 6);
  expect(telling.mostWithout(4)).toBe(0);
});

test('takes as many terms as a score needs, and all of them where nothing is sure', () => {
  const telling = new TellingTerms(CONCEPTS);
  expect(telling.enough(1, 12)).toBe(1);
  expect(telling.enough(1, 6)).toBe(2);
  expect(telling.enough(3, 6)).toBe(3);
  expect(telling.enough(1, 0)).toBe(4);
});

test('tries first what enough tools have, if that spares a fifth of the work', () => {
  const telling = new TellingTerms(CONCEPTS);
  expect(telling.first(200, 200)).toBe(2);
  expect(telling.first(200, 1_000)).toBe(2);
  // 4,400 tools are too few.
  expect(telling.first(200, 5_000)).toBe(3);
  expect(telling.first(200, 20_000)).toBe(4);
  expect(new TellingTerms(CONCEPTS.slice(0, 1)).first(200, 200)).toBe(1);
  expect(new TellingTerms([]).first(200, 200)).toBe(0);
  const common = (documents: number) =>
    new TellingTerms(
      scoredConcepts([{ terms: [asked('doorbell', 6, 8_000)] }, { terms: [asked('bulk', 1, documents)] }]),
    );
  expect(common(2_000).first(200, 200)).toBe(1);
  expect(common(1_900).first(200, 200)).toBe(2);
});
