import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** One request to a service. */
export interface PostOptions {
  readonly url: string;
  readonly path: string;
  /** Default: POST. */
  readonly method?: 'POST' | 'PUT';
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PostResponse {
  /** 0 if the connection broke. */
  readonly status: number;
  readonly bytes: number;
  /** The beginning of the body. */
  readonly text: string;
}

/**
 * Sends a body on a new connection and reads the response to its end. Keeps only the beginning of the
 * response.
 */
export function post({ url, path, method = 'POST', body, headers = {} }: PostOptions): Promise<PostResponse> {
  return new Promise((resolve) => {
    const sent = begin({ url, path, method, length: body.length, headers }, (response) => {
      let bytes = 0;
      let text = '';
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (text.length < 10_000) text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode!, bytes, text }));
      response.on('error', () => resolve({ status: 0, bytes, text }));
    });
    sent.on('error', () => resolve({ status: 0, bytes: 0, text: '' }));
    sent.end(body);
  });
}

/**
 * Sends everything but the last bytes of a body at once, and the rest never. Resolves when the first part has
 * been sent.
 */
export async function drip(options: PostOptions): Promise<{ readonly leave: () => void }> {
  const { body } = options;
  const sent = begin({ ...options, length: body.length }, (response) => response.resume());
  sent.on('error', () => {});
  await new Promise((resolve) => sent.write(body.subarray(0, -10), resolve));
  return { leave: () => sent.destroy() };
}

function begin(
  { url, path, method = 'POST', length, headers }: Omit<PostOptions, 'body'> & { readonly length: number },
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  const { port } = new URL(url);
  const own = { 'content-type': 'application/json', 'content-length': length };
  return request({ port, path, method, agent: false, headers: { ...own, ...headers } }, onResponse);
}
