import { expect, it } from 'vitest';
import type { Embedder } from '../src/embedder.ts';
import { PatientMeanings } from '../src/patient-meanings.ts';
import { keyOf } from '../src/vector-cache.ts';

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

it('gives every vector, and works out those that are not known, in batches', async () => {
  const { embedder, calls } = open((text) => [text.length, 1]);
  const known = new Map([[keyOf('known'), Int8Array.of(1, 127)]]);
  const meanings = new PatientMeanings(embedder, known);
  const source = meanings.source((position) => ['known', 'one', 'three', 'one'][position]!);
  const { query, tools } = (await source.vectorsOf('of', [0, 1, 2, 3]))!;
  expect(query).toEqual(Int8Array.of(127, 64));
  expect(tools[0]).toEqual(Int8Array.of(1, 127));
  expect(tools[1]).toEqual(tools[3]);
  expect(calls).toEqual([['of', 'one'], ['three']]);
  await source.vectorsOf('of', [0, 1, 2]);
  expect(calls).toHaveLength(2);
  expect(known.size).toBe(4);
});

it('fails where what comes is no vector', async () => {
  const { embedder } = open(() => [0, 0]);
  const source = new PatientMeanings(embedder).source(() => 'tool');
  await expect(source.vectorsOf('query', [0])).rejects.toMatchObject({ code: 'invalid_response' });
});
