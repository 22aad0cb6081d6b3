import { type Agent, type IncomingMessage, request } from 'node:http';

/** One request of a client. */
export interface PostOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent;
  /** Aborts when the client's patience ends. */
  readonly deadline: AbortSignal;
}

/** The result; `broken` if the connection ended before the response. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly bytes: Buffer }
  | { readonly kind: 'late' }
  | {
      readonly kind: 'broken';
      readonly reason: string;
      /** Whether an idle connection broke before any byte arrived; every client library retries this. */
      readonly wasStale: boolean;
    };

/** Sends one request and reads the response to the end. Never rejects. */
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
