import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { post, start } from './start.ts';

test('requests of one token whose bodies never end leave room to another', async () => {
  const { url, searchUrl } = await start({ tokens: ['slow', 'other'], maxWaiting: 4 });
  for (let count = 0; count < 2; count++) await drip(url, '/v1/tool-discovery/search', 'slow');
  const search = async (token: string) =>
    (await post(searchUrl, { pattern: 'a', tools: [{ name: 'a' }] }, { authorization: `Bearer ${token}` }))
      .status;
  await expect.poll(() => search('slow')).toBe(503);
  expect(await search('other')).toBe(200);
});

/** Sends the head of a request and never its body; resolves when the service has answered `100 Continue`. */
async function drip(url: string, path: string, token: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = ['content-type: application/json', 'content-length: 100', 'expect: 100-continue'];
  socket.write(
    [`POST ${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${token}`, ...head, '', ''].join(
      '\r\n',
    ),
  );
  await new Promise((resolve) => socket.once('data', resolve));
}
