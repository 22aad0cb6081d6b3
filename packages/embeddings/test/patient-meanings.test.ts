import { expect, it } from 'vitest';
import type { Embedder } from '../src/embedder.ts';
import { PatientMeanings } from '../src/patient-meanings.ts';
import { keyOf } from '../src/vectors.ts';

function open(vectorOf: (text: string) => readonly unknown[]) {
  const calls: (readonly string[])[] = [];
  const embedder: Embedder = {
    batchSize: 2,
    async embed(texts) {
      calls.push(texts);
      return texts.map(vectorOf);
    },
    close: async () => {},
  };
  return { embedder, calls };
}

it('returns every vector, and computes unknown ones in batches', async () => {
  const { embedder, calls } = open((text) => [text.length, 1]);
  const known = new Map([[keyOf('known'), Int8Array.of(1, 127)]]);
  const meanings = new PatientMeanings(embedder, known);
  const source = meanings.source(4, (position) => ['known', 'one', 'three', 'one'][position]!);
  const { query, tools } = (await source.vectorsOf('of', [0, 1, 2, 3]))!;
  expect(query).toEqual(Int8Array.of(127, 64));
  expect(tools[0]).toEqual(Int8Array.of(1, 127));
  expect(tools[1]).toEqual(tools[3]);
  expect(calls).toEqual([['of', 'one'], ['three']]);
  await source.vectorsOf('of', [0, 1, 2]);
  expect(calls).toHaveLength(2);
  expect(known.size).toBe(4);
});

it('gives those of the sentences of a query that asks for several things', async () => {
  const { embedder, calls } = open((text) => [text.length, 1]);
  const sentences = ['Book a room today.', 'Order some lunch menu!', 'Plan the longer route downtown.'];
  const source = new PatientMeanings(embedder).source(1, () => 'tool');
  const vectors = (await source.vectorsOf(sentences.join('\n'), [0]))!;
  expect(vectors.sentences).toHaveLength(3);
  expect(calls.flat()).toEqual([sentences.join('\n'), ...sentences, 'tool']);
});

it('scans all tools after computing their vectors, unless there are too many', async () => {
  const { embedder, calls } = open((text) => [text.length, 1]);
  const source = new PatientMeanings(embedder).source(3, (position) => ['a', 'bcd', 'ef'][position]!);
  const search = { most: 2, has: () => true };
  expect(await source.nearest!('query', { ...search, within: 5 })).toEqual([]);
  expect(calls).toEqual([['query']]);
  const near = (await source.nearest!('query', search))!;
  expect(near.map(({ position }) => position)).toEqual([1, 2]);
  expect(calls.flat()).toEqual(['query', 'a', 'bcd', 'ef']);
});

it('fails on a result that is not a vector', async () => {
  const { embedder } = open(() => [0, 0]);
  const source = new PatientMeanings(embedder).source(1, () => 'tool');
  await expect(source.vectorsOf('query', [0])).rejects.toMatchObject({ code: 'invalid_response' });
});
