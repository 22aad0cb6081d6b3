import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An upstream that accepts and answers any request. */
export interface RawUpstream {
  readonly url: string;
  close(): void;
}

/**
 * Starts an upstream for requests that no validator would accept. It discards their bytes, so their size does
 * not matter.
 */
export async function startRawUpstream(): Promise<RawUpstream> {
  // This process may spend seconds on generating a body. A connection that it closes meanwhile would look
  // like a fault of the proxy.
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
