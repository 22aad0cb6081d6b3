import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { NodeRequest } from '../src/edge/node-request.ts';
import { receiveBody } from '../src/exchange/receive-request.ts';
import { StallWatch } from '../src/http/stall-watch.ts';
import { RequestMemory } from '../src/memory/request-memory.ts';

it('gives a body up that does not fit, complete and in order, and returns its memory as it goes out', async () => {
  const body = Object.assign(new PassThrough(), { headers: {} });
  const hold = new RequestMemory({ maxBytes: 600, heapShare: () => 0 }).open('client');
  const stalls = new StallWatch(1_000, () => () => {});
  const receiving = receiveBody(new NodeRequest(body as unknown as IncomingMessage), {
    limitBytes: 100,
    stalls,
    hold,
  });
  const ownListeners = new PassThrough().listenerCount('end');
  for (const piece of ['one', 'two', 'three']) body.write(piece);
  expect(await receiving).toBeUndefined();
  expect(hold.bytes).toBeGreaterThan(0);
  // A listener left behind would join the body again at the end, for no reader.
  expect(body.listenerCount('end')).toBe(ownListeners);
  body.end('four');
  expect(Buffer.concat(await body.toArray()).toString()).toBe('onetwothreefour');
  expect(hold.bytes).toBe(0);
});
