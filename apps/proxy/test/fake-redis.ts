import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server that responds as a test specifies, whatever the request. */
export interface FakeRedis {
  readonly url: string;
  /** Number of connections made so far. */
  readonly connections: () => number;
}

/** Starts a server that is closed when the test ends; `answer` receives each connection and its data. */
export async function startFakeRedis(
  answer: (socket: Socket, asked: string) => void,
  onConnect: (socket: Socket) => void = () => {},
): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => answer(socket, String(bytes)));
    onConnect(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
  };
}

/** The reply to INFO of a server that is ready. */
export const READY_INFO = bulk('redis_version:7.0.0\r\nloading:0\r\nrole:master\r\n');

/** Encodes a text by the protocol. */
export function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}
