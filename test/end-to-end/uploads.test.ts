import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startStack } from './start-stack.ts';

/** An upstream that closes the connection when it has read the head of a request. */
async function startImpatientUpstream(): Promise<string> {
  const server = createServer(({ socket }) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an upstream that breaks off an upload is an error to the client, which is still there', async () => {
  const stack = await startStack({
    settings: { PROXY_UPSTREAMS_OPENAI_BASE_URL: await startImpatientUpstream() },
  });
  const response = await fetch(`${stack.proxyUrl}/v1/files`, {
    method: 'POST',
    body: new Uint8Array(10_000_000),
  });
  expect(response.status).toBe(502);
  // The rest of the upload cannot be skipped to reach the next request.
  expect(response.headers.get('connection')).toBe('close');
  expect(await response.json()).toMatchObject({ error: { code: 'upstream_unreachable' } });
});
