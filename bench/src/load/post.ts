import { type Agent, type IncomingMessage, request } from 'node:http';

/** One request of a client. */
export interface PostOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent;
  /** Aborts when the client's patience is over. */
  readonly deadline: AbortSignal;
}

/** What has come back; `broken` when the connection ended before the answer did. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly bytes: Buffer }
  | { readonly kind: 'late' }
  | {
      readonly kind: 'broken';
      readonly reason: string;
      /** Whether nothing at all came, over a connection that had been idle: what every client library tries again. */
      readonly wasStale: boolean;
    };

/** Sends one request and reads its answer to the end. Never rejects. */
export function post({ url, headers, body, agent, deadline }: PostOptions): Promise<Posted> {
  return new Promise((resolve) => {
    const bytes = Buffer.from(body);
    let hasAnswer = false;
    const fail = (error: Error) => {
      if (deadline.aborted) resolve({ kind: 'late' });
      else resolve({ kind: 'broken', reason: error.message, wasStale: !hasAnswer && outgoing.reusedSocket });
    };
    const outgoing = request(url, {
      method: 'POST',
      agent,
      signal: deadline,
      headers: { 'content-type': 'application/json', 'content-length': bytes.length, ...headers },
    });
    outgoing.on('error', fail);
    outgoing.on('response', (incoming) => {
      hasAnswer = true;
      incoming.on('error', fail);
      readAll(incoming, (bytes) => resolve({ kind: 'answered', status: incoming.statusCode!, bytes }));
    });
    outgoing.end(bytes);
  });
}

function readAll(incoming: IncomingMessage, onEnd: (bytes: Buffer) => void): void {
  const pieces: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => pieces.push(piece));
  incoming.on('end', () => onEnd(Buffer.concat(pieces)));
}
