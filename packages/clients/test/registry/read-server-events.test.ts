import { expect, test } from 'vitest';
import { readServerEvents } from '../../src/registry/registry-client.ts';

async function* pieces(...parts: readonly Uint8Array[]) {
  yield* parts;
}

async function dataOf(...parts: readonly Uint8Array[]): Promise<string[]> {
  const data: string[] = [];
  for await (const events of readServerEvents(pieces(...parts))) data.push(...events);
  return data;
}

const STREAM = Buffer.from(
  ':\n\nid: 1.0\nevent: tool_registered\ndata: {"id":"größe"}\n\n:\n\nid: 1.1\r\ndata: first\r\ndata: second\r\n\r\ndata: unfinished',
);

test('gives the same data at every split of the stream', async () => {
  for (let at = 0; at <= STREAM.length; at++) {
    expect(await dataOf(STREAM.subarray(0, at), STREAM.subarray(at))).toEqual([
      '{"id":"größe"}',
      'first\nsecond',
    ]);
  }
});

test('refuses an event without an end', async () => {
  const line = Buffer.from(`data: ${'x'.repeat(600_000)}`);
  await expect(dataOf(line, line)).rejects.toBeInstanceOf(RangeError);
  const lines = Buffer.from(`data: ${'x'.repeat(600_000)}\n`);
  await expect(dataOf(lines, lines)).rejects.toBeInstanceOf(RangeError);
});
