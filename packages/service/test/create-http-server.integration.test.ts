import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../src/create-http-server.ts';

test('a request with two Host headers is refused: servers on the way could believe different ones', async () => {
  const served: (string | undefined)[] = [];
  const server = createHttpServer(
    (incoming, outgoing) => {
      served.push(incoming.headers.host);
      outgoing.end('served');
    },
    {
      headTimeoutMs: 5_000,
      keepAliveMs: 5_000,
      refuseHead: (error, socket) => socket.end(`HTTP/1.1 400 ${error.code}\r\n\r\n`),
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const send = async (hosts: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET / HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`);
    let text = '';
    for await (const piece of socket.setEncoding('utf8')) text += piece;
    return text.split('\r\n')[0];
  };
  expect(await send('Host: a\r\nhost: b\r\n')).toBe('HTTP/1.1 400 TWO_HOSTS');
  expect(await send('Host: a\r\nhost: a\r\n')).toBe('HTTP/1.1 400 TWO_HOSTS');
  expect(await send('Host: a\r\n')).toBe('HTTP/1.1 200 OK');
  expect(served).toEqual(['a']);
});
