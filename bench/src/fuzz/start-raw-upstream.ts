import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An upstream that reads whatever comes and answers it. */
export interface RawUpstream {
  readonly url: string;
  close(): void;
}

/** Starts an upstream for requests that no validator would let pass: it keeps nothing of them, however many bytes they have. */
export async function startRawUpstream(): Promise<RawUpstream> {
  // This process may be busy for seconds with making a body; a connection that it closes meanwhile would look like a fault of the proxy's.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    incoming.on('error', () => {});
    incoming.resume().once('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
