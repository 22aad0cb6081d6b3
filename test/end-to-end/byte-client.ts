import { type IncomingMessage, request } from 'node:http';

/** A request, exact to the byte. */
export interface ByteRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with its length, or chunked if it is a list. */
  readonly body?: Uint8Array | readonly Uint8Array[];
}

/** A response, exact to the byte. */
export interface ByteAnswer {
  readonly status: number;
  /** Lower-case names and values, in order of arrival, without those of the connection. */
  readonly headers: readonly string[];
  /** The body as sent, possibly encoded. */
  readonly bytes: Buffer;
  /** Whether the response is complete; false if the connection broke. */
  readonly isWhole: boolean;
}

/** Headers of a single connection. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'host'];

/** Raw headers as lower-case names and values, without those of the connection. */
function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((value, at) => {
    const name = rawHeaders[at - (at % 2)]!.toLowerCase();
    if (OF_CONNECTION.includes(name)) return [];
    return at % 2 === 0 ? name : value;
  });
}

/** Sends a request unchanged, and returns the response unchanged. */
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
    // A broken response still counts; `isWhole` marks it.
  }
  return {
    status: response.statusCode!,
    headers: endToEndHeaders(response.rawHeaders),
    bytes: Buffer.concat(pieces),
    isWhole: response.complete,
  };
}
