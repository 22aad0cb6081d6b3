import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a balancer that gives each request to the next server in turn, and returns its URL. It is closed
 * when the test ends.
 */
export async function startAlternator(serverUrls: readonly string[]): Promise<string> {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(serverUrls[count++ % serverUrls.length]!);
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
