import { type IncomingMessage, request } from 'node:http';

/** A request to the byte. */
export interface ByteRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with its length, or in chunks when it is a list. */
  readonly body?: Uint8Array | readonly Uint8Array[];
}

/** An answer to the byte. */
export interface ByteAnswer {
  readonly status: number;
  /** Small names and values, in the order in which they came, without those of the connection. */
  readonly headers: readonly string[];
  /** As they travelled, encoded or not. */
  readonly bytes: Buffer;
  /** False when the connection broke before the end. */
  readonly isWhole: boolean;
}

/** Of one connection only. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'host'];

/** Raw headers as small names and values, without those of the connection. */
export function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((value, at) => {
    const name = rawHeaders[at - (at % 2)]!.toLowerCase();
    if (OF_CONNECTION.includes(name)) return [];
    return at % 2 === 0 ? name : value;
  });
}

/** Sends a request without changing anything about it, and gives the answer as it came. */
export async function sendBytes(url: string, byteRequest: ByteRequest): Promise<ByteAnswer> {
  const { method = 'POST', path, headers = {}, body } = byteRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, headers, agent: false }, resolve);
    outgoing.once('error', reject);
    if (body instanceof Uint8Array) outgoing.end(body);
    else {
      for (const chunk of body ?? []) outgoing.write(chunk);
      outgoing.end();
    }
  });
  const pieces: Buffer[] = [];
  try {
    for await (const piece of response) pieces.push(piece as Buffer);
  } catch {
    // A broken answer is an answer too: `isWhole` tells.
  }
  return {
    status: response.statusCode!,
    headers: endToEndHeaders(response.rawHeaders),
    bytes: Buffer.concat(pieces),
    isWhole: response.complete,
  };
}
