import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a selector with its own responses, and returns the address of its searches; it is closed when the
 * test ends. The proxy's check at its start succeeds, unless the selector `hearsProbes`.
 */
export async function startFakeSelector(
  listener: RequestListener,
  { hearsProbes = false } = {},
): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const isProbe = incoming.headers['x-request-id'] === 'winnow-probe';
    (isProbe && !hearsProbes ? selects('winnow_probe') : listener)(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`;
}

/** A selector with the same response to every search. */
export function answersWith(status: number, body: string): RequestListener {
  return (incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
}

/** A selector that finds these tools for every query. */
export function selects(...names: readonly string[]): RequestListener {
  return answersWith(200, JSON.stringify({ selected_names: names }));
}

/** A selector that never answers. */
export const hangs: RequestListener = (incoming) => {
  incoming.resume();
};

/** An address without a listener: port 9 is `discard`. */
export const REFUSED = 'http://127.0.0.1:9/search';
