import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CollectedSpan, decodeSpans } from './decode-spans.ts';

/** A collector of traces. */
export interface Collector {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** All spans received so far, in order. */
  readonly spans: readonly CollectedSpan[];
  /** All requests received so far: heads and bodies. */
  readonly received: () => Buffer;
  close(): Promise<void>;
}

/** The collector's behaviour: it accepts, fails, or never responds. */
export type CollectorMood = 'well' | 'refuses' | 'hangs';

/** Starts a collector that accepts OTLP over HTTP on a free port. */
export async function startCollector(mood: CollectorMood = 'well'): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const pieces: Buffer[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await readBody(incoming);
    pieces.push(Buffer.from(`${incoming.method} ${incoming.url}\n${incoming.rawHeaders.join('\n')}\n`), body);
    spans.push(...decodeSpans(body));
    if (mood === 'hangs') return;
    outgoing.writeHead(mood === 'well' ? 200 : 400, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received: () => Buffer.concat(pieces),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
