import { expect, test } from 'vitest';
import { json } from '../../src/framing/json.ts';
import { OverlongEvent, readEvents } from '../../src/framing/read-events.ts';
import { sse } from '../../src/framing/sse.ts';
import type { WireEvent } from '../../src/framing/wire-event.ts';

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
    for await (const each of readEvents(endless(), framing, 100)) events.push(each);
  };
  await expect(reading()).rejects.toThrow(OverlongEvent);
  expect(events.map(({ kind }) => kind)).toEqual(kinds);
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
