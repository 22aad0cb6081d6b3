import { expect, test } from 'vitest';
import { boundBytes } from '../src/servers/bounded-fetch.ts';

/** Returns the number of bytes that pass; rejects like the stream. */
async function pass(piece: string, times: number, stream: TransformStream<Uint8Array, Uint8Array>) {
  const bytes = Buffer.from(piece);
  let left = times;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(bytes);
      else controller.close();
    },
  });
  let passed = 0;
  for await (const part of source.pipeThrough(stream)) passed += part.length;
  return passed;
}

const MESSAGES = 'data: {}\n\n'.repeat(1_000);

test('passes any number of blank lines, comments and messages within the limit', async () => {
  expect(await pass('\n'.repeat(100_000), 10, boundBytes(true))).toBe(1_000_000);
  expect(await pass(': alive\n\n'.repeat(1_000), 200, boundBytes(true))).toBe(1_800_000);
  expect(await pass(MESSAGES, 99, boundBytes(true))).toBe(990_000);
});

test('ends a response of very many messages', async () => {
  await expect(pass(MESSAGES, 101, boundBytes(true))).rejects.toMatchObject({ code: 'ETOOLARGE' });
});

test('counts no messages of a stream that may continue forever', async () => {
  expect(await pass(MESSAGES, 101, boundBytes(true, Number.POSITIVE_INFINITY))).toBe(1_010_000);
});

test('ends a body of very many values', async () => {
  await expect(pass('[1,'.repeat(1_000), 130, boundBytes(false))).rejects.toMatchObject({
    code: 'ETOOLARGE',
  });
});
