import { expect, test } from 'vitest';
import { awsEventStream } from '../../src/framing/aws-event-stream.ts';
import type { Framing, WireEvent } from '../../src/framing/framing.ts';
import { json } from '../../src/framing/framings.ts';
import { jsonArray } from '../../src/framing/json-array.ts';
import { ndjson } from '../../src/framing/ndjson.ts';
import { BudgetExceeded, readEvents } from '../../src/framing/read-events.ts';
import { sse } from '../../src/framing/sse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['an event', sse, ['event']],
  ['a whole body', json, []],
])('reads no more of an endless %s than it may hold', async (_, framing, kinds) => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield bytes('data: {}\n\ndata: ');
    for (;;) yield bytes('x');
  }
  const events: WireEvent[] = [];
  const reading = async () => {
    for await (const each of readEvents(endless(), framing, { eventChars: 100, events: 10 }))
      events.push(each);
  };
  await expect(reading()).rejects.toThrow(BudgetExceeded);
  expect(events.map(({ kind }) => kind)).toEqual(kinds);
});

const FRAME = awsEventStream
  .createEncoder()
  .encode([{ kind: 'event', name: 'ping', data: '{}' }]) as Uint8Array;

const STREAMS: readonly (readonly [string, Framing, Uint8Array])[] = [
  ['server-sent events', sse, bytes('data: {}\n\n')],
  ['blocks without data', sse, bytes('id: 1\n\n')],
  ['lines', ndjson, bytes('{}\n')],
  ['elements', jsonArray, bytes('1,')],
  ['frames', awsEventStream, FRAME],
];

test.each(STREAMS)(
  'reads no more %s than the budget has, in any number of pieces',
  async (_, framing, event) => {
    for (const perPiece of [1, 100]) {
      let pulled = 0;
      async function* endless(): AsyncGenerator<Uint8Array> {
        if (framing === jsonArray) yield bytes('[');
        for (;;) {
          pulled += perPiece;
          yield Buffer.concat(Array.from({ length: perPiece }, () => event));
        }
      }
      const reading = async () => {
        for await (const _each of readEvents(endless(), framing, { eventChars: 1_000, events: 1_000 }));
      };
      await expect(reading()).rejects.toThrow(BudgetExceeded);
      expect(pulled).toBeLessThanOrEqual(1_000 + perPiece + 1);
    }
  },
);

test('reads ten times the largest public recordings', async () => {
  // The longest stream has 1,756 events, and the largest body 66,778 characters: of 246 recordings.
  async function* tenfold(): AsyncGenerator<Uint8Array> {
    yield bytes(`data: ${'x'.repeat(667_780)}\n\n`);
    for (let count = 0; count < 17_560; count += 1) yield bytes('data: {}\n\n');
  }
  let count = 0;
  for await (const _each of readEvents(tenfold(), sse)) count += 1;
  expect(count).toBe(17_561);
});

test('decodes a large piece in steps, so that few of its events exist at once', async () => {
  const piece = Buffer.from('data: 1\n\n'.repeat(50_000));
  let largest = 0;
  const counting: Framing = {
    ...sse,
    createDecoder(limitChars) {
      const decoder = sse.createDecoder(limitChars);
      return {
        push(step) {
          const events = decoder.push(step);
          largest = Math.max(largest, events.length);
          return events;
        },
        end: () => decoder.end(),
        get isOverflown() {
          return decoder.isOverflown;
        },
      };
    },
  };
  let count = 0;
  async function* once(): AsyncGenerator<Uint8Array> {
    yield piece;
  }
  for await (const { kind } of readEvents(once(), counting)) if (kind === 'event') count += 1;
  expect(count).toBe(50_000);
  expect(largest).toBeLessThan(10_000);
});

test('pulls no more than requested', async () => {
  const pulled: number[] = [];
  async function* counted(): AsyncGenerator<Uint8Array> {
    for (let piece = 1; piece <= 3; piece += 1) {
      pulled.push(piece);
      yield bytes(`data: ${piece}\n\n`);
    }
  }
  const events = readEvents(counted(), sse);
  await events.next();
  expect(pulled).toEqual([1]);
});
