import { connect, type Socket } from 'node:net';
import type { HostileExchange } from './hostile-exchange.ts';
import { endsExchange, readHttp2Frames } from './http2/read-frames.ts';
import { writeAll } from './write-all.ts';

/**
 * Sends a hostile exchange to a server on a connection of its own. Returns the bytes that the server wrote
 * until its response was complete or the connection closed; none for a client that leaves.
 *
 * Rejects when `signal` aborts, if the server has neither responded nor closed the connection by then.
 */
export async function sendHostileExchange(
  url: string,
  { kind, pieces, ending, isHttp2 }: HostileExchange,
  signal: AbortSignal,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  // A reset also counts as closing the connection.
  socket.on('error', () => {});
  const answer = receiveAnswer(socket, isHttp2 ? isWholeHttp2 : isWhole);
  const given = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer and no end: ${kind}`)), {
      once: true,
    });
  });
  try {
    await Promise.race([writeAll(socket, pieces), answer, given]);
    if (ending === 'leave') return '';
    if (ending === 'half_close') socket.end();
    return await Promise.race([answer, given]);
  } finally {
    socket.destroy();
  }
}

function receiveAnswer(socket: Socket, isOver: (received: string) => boolean): Promise<string> {
  let received = '';
  return new Promise((resolve) => {
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      received += text;
      if (isOver(received)) resolve(received);
    });
    socket.once('end', () => resolve(received));
    socket.once('close', () => resolve(received));
  });
}

/** Whether a response is complete, or the server has given up the connection. */
function isWholeHttp2(received: string): boolean {
  if (received.startsWith('HTTP/1')) return isWhole(received);
  return readHttp2Frames(Buffer.from(received, 'latin1')).frames.some(endsExchange);
}

/** Whether a response is complete, not counting interim responses before it. */
function isWhole(received: string): boolean {
  const text = received.replace(/^(HTTP\/1\.1 1\d\d [^\r]*\r\n([^\r]+\r\n)*\r\n)+/, '');
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const head = text.slice(0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return text.length >= headEnd + 4 + Number(length);
  return /\r\ntransfer-encoding: chunked/i.test(head) && text.endsWith('0\r\n\r\n');
}
