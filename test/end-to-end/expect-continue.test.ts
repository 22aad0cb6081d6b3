import { connect, type Socket } from 'node:net';
import { answer, say } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { bodyOf } from './raw-client.ts';
import { startStack } from './start-stack.ts';

/** A connection, with everything received on it so far. */
interface Line {
  readonly socket: Socket;
  /** Resolves with everything as soon as `text` has arrived. */
  until(text: string): Promise<string>;
}

function openLine(url: string): Line {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  return {
    socket,
    until: async (text) => {
      while (!received.includes(text)) await new Promise((resolve) => socket.once('data', resolve));
      return received;
    },
  };
}

function headOf(path: string, body: string, version = '1.1'): string {
  return [
    `POST ${path} HTTP/${version}`,
    'host: localhost',
    'content-type: application/json',
    'authorization: Bearer key',
    'expect: 100-continue',
    `content-length: ${Buffer.byteLength(body)}`,
    '\r\n',
  ].join('\r\n');
}

const PATH = '/v1/chat/completions';

test('a client that is refused is not asked, and the connection is closed', async () => {
  const stack = await startStack({});
  const { socket, until } = openLine(stack.proxyUrl);
  socket.write(headOf('http://elsewhere/', 'body'));
  const refusal = await until('\r\n\r\n');
  expect(refusal).toMatch(/^HTTP\/1\.1 400 /);
  expect(refusal.toLowerCase()).toContain('connection: close');
});

test('a client of HTTP/1.0 is not asked: it knows of no such question', async () => {
  const stack = await startStack({ script: [answer([say('All is well.')])] });
  const { socket, until } = openLine(stack.proxyUrl);
  const body = bodyOf({ format: 'openai', url: stack.proxyUrl });
  socket.write(headOf(PATH, body, '1.0') + body);
  expect(await until('All is well.')).toMatch(/^HTTP\/1\.1 200 OK/);
});
