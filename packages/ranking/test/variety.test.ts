import { expect, test } from 'vitest';
import { buildCatalogue } from '../src/catalogue/catalogue.ts';
import { toInt8Vector } from '../src/meaning/meaning-source.ts';
import { likenessLosses } from '../src/meaning/rank-with-meaning.ts';
import { noPause } from '../src/ranker.ts';
import { findTools } from '../src/search/find-tools.ts';

const valued = (value: number, ...numbers: number[]) => ({ value, vector: toInt8Vector(numbers) });

/** Rounded as far as vectors of bytes are exact. */
const losses = (...ranked: Parameters<typeof likenessLosses>[0]) =>
  likenessLosses(ranked).map((loss) => Math.round(loss * 1_000) / 1_000);

test('one that means the same as a better one loses a fifth, and one that means something else nothing', () => {
  expect(losses(valued(1, 1, 0), valued(0.9, 1, 0), valued(0.8, 0, 1))).toEqual([0, 0.2, 0]);
  expect(losses(valued(1, 1, 0), valued(0.9, 1, 1), valued(0.8, -1, 0))).toEqual([0, 0.141, 0]);
});

test('the first match counts as the better one for the rest', () => {
  // The third is chosen before the second, which then is like both.
  expect(losses(valued(1, 1, 0), valued(0.9, 1, 0.5), valued(0.8, 0, 1), valued(0.75, 0, 1))).toEqual([
    0, 0.179, 0, 0.2,
  ]);
});

test('one without a vector, or with one of another model, loses what the others lose in the mean', () => {
  const unknown = { value: 0.7, vector: undefined };
  expect(losses(valued(1, 1, 0), valued(0.9, 1, 0), valued(0.8, 0, 1), unknown)[3]).toBeCloseTo(0.1, 2);
  expect(losses(valued(1, 1, 0), valued(0.9, 1, 0), valued(0.8, 1, 0, 0))).toEqual([0, 0.2, 0.2]);
  expect(losses(unknown, unknown)).toEqual([0, 0]);
  expect(losses(valued(1, 1, 0))).toEqual([0]);
  expect(losses()).toEqual([]);
});

test('of many alike all but the first lose the same, so that they keep their order', () => {
  const many = Array.from({ length: 60 }, (_, at) => valued(1 - at / 100, 1, 0));
  expect(new Set(losses(...many).slice(1))).toEqual(new Set([0.2]));
});

test('of three tools that words find alike, the one for something else stands before the second for the same', async () => {
  const tools = [
    { name: 'book_table_x1', description: 'Reserves it.' },
    { name: 'book_table_x2', description: 'Reserves it.' },
    { name: 'book_table_x3', description: 'Queries it.' },
  ];
  const means = [
    [1, 1],
    [1, 1],
    [1, -1],
  ].map((numbers) => toInt8Vector(numbers));
  const meaning = {
    vectorsOf: async (_: string, positions: readonly number[]) => ({
      query: toInt8Vector([1, 0])!,
      tools: positions.map((position) => means[position]),
    }),
  };
  const query = { pattern: 'table', searchType: 'auto', limit: 3 } as const;
  const catalogue = buildCatalogue(tools);
  const words = await findTools(catalogue, query, noPause);
  expect(words.hits.map(({ position }) => position)).toEqual([0, 1, 2]);
  const { hits } = await findTools(catalogue, { ...query, meaning }, noPause);
  expect(hits.map(({ position }) => position)).toEqual([0, 2, 1]);
  // What it loses is part of what meaning has added.
  const [first, , second] = hits;
  expect(second!.meaning).toBeCloseTo(first!.meaning! - 0.2, 6);
  expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
});
