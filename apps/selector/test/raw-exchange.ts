import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test writes bytes as it likes. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string | Buffer): void;
  /** Resolves when what was received matches, with all of it. Rejects when the connection ends first. */
  receive(pattern: RegExp): Promise<string>;
  /** Resolves with all that was received once the server has closed the connection. */
  closed(): Promise<string>;
}

/** Connects to the server of a URL. */
export async function connectTo(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  // A reset is one way for a connection to be closed; what matters is what was received before.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return {
    socket,
    write: (text) => socket.write(text),
    async receive(pattern) {
      while (!pattern.test(received)) {
        if (socket.closed) throw new Error(`closed after: ${received}`);
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      }
      return received;
    },
    async closed() {
      if (!socket.closed) await once(socket, 'close');
      return received;
    },
  };
}

/** The head of a search request, up to and with the empty line. */
export function searchHead(headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers });
  return [
    'POST /v1/tool-discovery/search HTTP/1.1',
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
}
