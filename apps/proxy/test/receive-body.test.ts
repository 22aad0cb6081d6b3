import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { NodeRequest } from '../src/edge/node-http.ts';
import { receiveBody, StallWatch } from '../src/exchange/receive-request.ts';
import { RequestMemory } from '../src/sessions/request-memory.ts';
import { ClientSignal } from '../src/upstream/client.ts';

it('gives a body up that does not fit, complete and in order, and returns its memory as it goes out', async () => {
  const body = Object.assign(new PassThrough(), { headers: {} });
  const hold = new RequestMemory({ maxBytes: 600, heapShare: () => 0 }).open('client');
  const stalls = new StallWatch(1_000, () => () => {});
  const receiving = receiveBody(new NodeRequest(body as unknown as IncomingMessage, new ClientSignal()), {
    limitBytes: 100,
    stalls,
    hold,
    isObserved: false,
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

it.each([
  ['that is too large', 'x'.repeat(101)],
  ['that makes no progress', 'x'],
])('a body %s is refused, but passed on if it is only observed', async (_, text) => {
  let look = () => {};
  const stalls = new StallWatch(1_000, (_ms, callBack) => {
    look = callBack;
    return () => {};
  });
  const outcome = async (isObserved: boolean) => {
    const body = Object.assign(new PassThrough(), { headers: {} });
    const hold = new RequestMemory({ maxBytes: 10_000, heapShare: () => 0 }).open('client');
    const request = new NodeRequest(body as unknown as IncomingMessage, new ClientSignal());
    const receiving = receiveBody(request, { limitBytes: 100, stalls, hold, isObserved }).catch(
      ({ code }) => code,
    );
    body.write(text);
    await new Promise((resolve) => setImmediate(resolve));
    for (let time = 0; time < 6; time++) look();
    const received = await receiving;
    body.end();
    return received ?? Buffer.concat(await body.toArray()).toString();
  };
  expect(await outcome(false)).toMatch(/^(body_too_large|request_timeout)$/);
  expect(await outcome(true)).toBe(text);
});
