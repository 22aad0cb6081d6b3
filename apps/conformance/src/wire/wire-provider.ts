import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import type { ReceivedRequest, WireAnswer } from './exchange.ts';
import { pairsOf } from './wire-client.ts';

/** The exchange in progress, as the provider serves it. */
export interface Stage {
  /** A text that no other exchange contains. */
  readonly marker: string;
  /** Called with each request, complete or not; returns the response. */
  onRequest(request: ReceivedRequest): Promise<WireAnswer>;
  /** Called when the head of a request has arrived. */
  onHead(): void;
  /** Resolves when the client has seen what was sent; false if it did not within the patience. */
  isSeen(sent: { readonly bytes: number; readonly text: string | undefined }): Promise<boolean>;
  /** Called when the gateway closes the connection before the end of the response. */
  onCancelled(): void;
  /** Called with each number of bytes that the connection has taken. */
  onTaken(bytes: number): void;
}

/** A provider on a port; the exchange in progress supplies its responses. */
export interface WireProvider {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** Begins an exchange. */
  begin(stage: Stage): void;
  /** Ends an exchange. */
  end(stage: Stage): void;
  close(): Promise<void>;
}

/** The marker of an exchange in a path, a body or a credential. */
const MARKER = /kit-\d{6}/;

/**
 * Starts the provider. Port 0 takes any free port.
 *
 * A request belongs to the exchange whose marker it carries; one without a marker belongs to the only exchange in
 * progress. Others, such as a late retry, get status 500.
 */
export async function startWireProvider(port: number): Promise<WireProvider> {
  const stages = new Map<string, Stage>();
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (incoming, response) => {
    serve(incoming, response, stages).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}`,
    begin: (stage) => {
      stages.set(stage.marker, stage);
    },
    end: (stage) => {
      stages.delete(stage.marker);
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  stages: ReadonlyMap<string, Stage>,
): Promise<void> {
  const { method = 'GET', url: path = '/', rawHeaders } = incoming;
  const named = stages.get(markerIn(path) ?? markerIn(rawHeaders.join('\n')) ?? '');
  for (const stage of named ? [named] : stages.values()) stage.onHead();
  const chunks: Buffer[] = [];
  let isComplete = true;
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    isComplete = false;
  }
  const body = Buffer.concat(chunks);
  // A gateway may mix up credentials, so they come last.
  const found = markerIn(path) ?? markerIn(body.toString('latin1')) ?? named?.marker;
  const stage = found === undefined ? onlyOne(stages) : stages.get(found);
  if (stage === undefined) {
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"too late"}}');
    return;
  }
  const answer = await stage.onRequest({ method, path, headers: pairsOf(rawHeaders), body, isComplete });
  if (isComplete) await send(answer, response, stage);
}

const markerIn = (text: string): string | undefined => MARKER.exec(text)?.[0];

function onlyOne(stages: ReadonlyMap<string, Stage>): Stage | undefined {
  return stages.size === 1 ? [...stages.values()][0] : undefined;
}

async function send(answer: WireAnswer, response: ServerResponse, stage: Stage): Promise<void> {
  let isOver = false;
  const closed = once(response, 'close').then(() => {
    if (!isOver && !response.writableFinished) stage.onCancelled();
  });
  if (answer.isRefusing) {
    isOver = true;
    response.destroy();
  } else if (answer.isSilent) await closed;
  else {
    if (answer.startMs) await Promise.race([delay(answer.startMs), closed]);
    if (answer.hasInterim) response.writeEarlyHints({ link: '</>; rel=preconnect' });
    const { socket } = response;
    if (answer.closesBehind) response.once('finish', () => socket?.end());
    if (answer.endsByClosing) response.useChunkedEncodingByDefault = false;
    const trailers = answer.trailers ?? [];
    const names = trailers.map(([name]) => name).join();
    const head = [...answer.headers, ...(names === '' ? [] : [['trailer', names] as const])];
    response.writeHead(answer.status, head.flat() as never);
    // `flushHeaders` would write headers in UTF-8.
    response.write('', 'latin1');
    const outcome = await sendSteps(answer, { response, stage, closed });
    isOver = true;
    if (outcome === 'break') response.write('', () => response.socket?.destroy());
    else if (!response.destroyed) {
      response.addTrailers(trailers as never);
      response.end();
    }
  }
}

interface Sending {
  readonly response: ServerResponse;
  readonly stage: Stage;
  readonly closed: Promise<void>;
}

async function sendSteps(
  { steps }: WireAnswer,
  { response, stage, closed }: Sending,
): Promise<'end' | 'break'> {
  let bytes = 0;
  for (const step of steps) {
    if (response.destroyed) break;
    switch (step.type) {
      case 'bytes': {
        bytes += step.bytes.length;
        const isFull = !response.write(step.bytes, () => stage.onTaken(step.bytes.length));
        if (isFull) await Promise.race([once(response, 'drain'), closed]);
        break;
      }
      case 'seen':
        await stage.isSeen({ bytes, text: step.text });
        break;
      case 'silence':
        await Promise.race([step.ms === 0 ? immediate() : delay(step.ms), closed]);
        break;
      case 'hold':
        await closed;
        break;
      case 'break':
        return 'break';
      default:
        step satisfies never;
    }
  }
  return 'end';
}
