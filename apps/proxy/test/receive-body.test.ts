import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { forcedCollections } from '@winnow/testkit';
import { expect, it } from 'vitest';
import { receiveBody } from '../src/exchange/receive-body.ts';
import { StallWatch } from '../src/http/stall-watch.ts';
import { RequestMemory } from '../src/memory/request-memory.ts';

it('gives up a body that finds no room, whole and in order, and gives back its memory as it goes out', async () => {
  const body = Object.assign(new PassThrough(), { headers: {} });
  const hold = new RequestMemory({ maxBytes: 600, heapShare: () => 0 }).open('client');
  const stalls = new StallWatch(1_000, () => () => {});
  const receiving = receiveBody(body as unknown as IncomingMessage, { limitBytes: 100, stalls, hold });
  const ownListeners = new PassThrough().listenerCount('end');
  for (const piece of ['one', 'two', 'three']) body.write(piece);
  expect(await receiving).toBeUndefined();
  expect(hold.bytes).toBeGreaterThan(0);
  // At the end, it would put the body together once more, for nobody.
  expect(body.listenerCount('end')).toBe(ownListeners);
  body.end('four');
  expect(Buffer.concat(await body.toArray()).toString()).toBe('onetwothreefour');
  expect(hold.bytes).toBe(0);
});

it.each([
  ['a large body', 1, 40, [2, 3]],
  ['many small ones', 160, 0.25, [0]],
])('has the young generation collected now and then while %s come', async (_, bodies, mebibytes, times) => {
  const limitBytes = 64 * 2 ** 20;
  const stalls = new StallWatch(1_000, () => () => {});
  const piece = Buffer.alloc(2 ** 16);
  const collections = await forcedCollections(async () => {
    for (let number = 0; number < bodies; number += 1) {
      const body = Object.assign(new PassThrough(), { headers: {} });
      const hold = new RequestMemory({ maxBytes: limitBytes, heapShare: () => 0 }).open('client');
      const receiving = receiveBody(body as unknown as IncomingMessage, { limitBytes, stalls, hold });
      for (let count = 0; count < mebibytes * 16; count += 1) body.write(piece);
      body.end();
      await receiving;
    }
  });
  expect(times).toContain(collections);
});
