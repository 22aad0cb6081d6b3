import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { forcedCollections } from '@winnow/testkit';
import { expect, it } from 'vitest';
import { receiveBody } from '../../src/api/receive-body.ts';

it('has the young generation collected now and then while a large body comes', async () => {
  const incoming = Object.assign(new PassThrough(), { headers: {} });
  const sink = { hold: () => {}, write: () => {} };
  const limits = { maxBytes: 64 * 2 ** 20, timeoutMs: 60_000 };
  const piece = Buffer.alloc(2 ** 16);
  const collections = await forcedCollections(async () => {
    const request = incoming as unknown as IncomingMessage;
    const receiving = receiveBody(request, {} as ServerResponse, sink, limits);
    for (let count = 0; count < 40 * 16; count += 1) incoming.write(piece);
    incoming.end();
    await receiving;
  });
  expect([2, 3]).toContain(collections);
});
