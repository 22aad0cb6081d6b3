import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A wire between a client and a server that records what the server sent. */
export interface Tap {
  readonly url: string;
  /** All bytes sent to the client: heads and bodies. */
  readonly toClient: () => Buffer;
}

/** Puts a tap in front of a server; it is removed when the test ends. */
export async function startTap(serverUrl: string): Promise<Tap> {
  const { hostname, port } = new URL(serverUrl);
  const pieces: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    upstream.on('data', (piece: Buffer) => pieces.push(piece));
    client.pipe(upstream).pipe(client);
    // A pipe does not report that a client resets its connection.
    client.once('close', () => upstream.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    toClient: () => Buffer.concat(pieces),
  };
}

/** Wraps a `fetch`, and records what it gave to its caller: heads and bodies. */
export function tapFetch(fetch: typeof globalThis.fetch) {
  const given: Promise<string>[] = [];
  return {
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init);
      const head = JSON.stringify([response.status, response.url, ...response.headers]);
      given.push(
        response
          .clone()
          .text()
          .then((body) => head + body),
      );
      return response;
    },
    toClient: async (): Promise<string> => (await Promise.all(given)).join('\n'),
  };
}
