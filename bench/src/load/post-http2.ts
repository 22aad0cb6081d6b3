import { connect } from 'node:http2';
import type { Posted, PostOptions } from './post.ts';

/**
 * Sends one request over a new HTTP/2 connection, with prior knowledge as the AWS SDK does, and reads the
 * response to the end. Never rejects.
 */
export function postHttp2({ url, headers, body, deadline }: Omit<PostOptions, 'agent'>): Promise<Posted> {
  const { origin, pathname, search } = new URL(url);
  const bytes = Buffer.from(body);
  const session = connect(origin);
  const { promise, resolve } = Promise.withResolvers<Posted>();
  const fail = (error: Error) =>
    resolve(deadline.aborted ? { kind: 'late' } : { kind: 'broken', reason: error.message, wasStale: false });
  const leave = () => session.destroy(new Error('the client leaves'));
  deadline.addEventListener('abort', leave, { once: true });
  session.on('error', fail);
  const stream = session.request({
    ':method': 'POST',
    ':path': pathname + search,
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...headers,
  });
  const pieces: Buffer[] = [];
  let status = 0;
  stream.on('response', (head) => {
    status = Number(head[':status']);
  });
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('error', fail);
  stream.on('close', () => {
    // A reset stream has no end; its error came first.
    if (stream.rstCode === 0 && status !== 0)
      resolve({ kind: 'answered', status, bytes: Buffer.concat(pieces) });
    else fail(new Error(`the stream was closed with code ${stream.rstCode}`));
    session.close();
  });
  stream.end(bytes);
  return promise.finally(() => {
    deadline.removeEventListener('abort', leave);
    session.close();
  });
}
