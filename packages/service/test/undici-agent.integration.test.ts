import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Agent } from '../src/undici-agent.ts';

test('the pool of connections sends requests, although the library is loaded in part', async () => {
  const server = createServer((incoming, outgoing) => outgoing.end(incoming.url));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent();
  onTestFinished(async () => {
    await agent.destroy();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { body } = await agent.request({ origin, path: '/asked', method: 'GET' });
  expect(await body.text()).toBe('/asked');
});
