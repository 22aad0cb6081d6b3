import { connect, type Socket } from 'node:net';
import type { HostileExchange } from './hostile-exchange.ts';
import { endsExchange, readHttp2Frames } from './http2/read-frames.ts';
import { writeAll } from './write-all.ts';

/**
 * Sends a hostile exchange to the server of a URL on a connection of its own, and gives what the server wrote until its answer was whole or
 * the connection closed; nothing for a client that leaves.
 *
 * Rejects when `signal` aborts: then the server has neither answered nor closed the connection.
 */
export async function sendHostileExchange(
  url: string,
  { kind, pieces, ending, isHttp2 }: HostileExchange,
  signal: AbortSignal,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  // A reset is one way for a connection to be closed.
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

/** Whether a response has come to its end, or the server has given the connection up. */
function isWholeHttp2(received: string): boolean {
  if (received.startsWith('HTTP/1')) return isWhole(received);
  return readHttp2Frames(Buffer.from(received, 'latin1')).frames.some(endsExchange);
}

/** Whether an answer has come to its end, those before it that only announce it left out. */
function isWhole(received: string): boolean {
  const text = received.replace(/^(HTTP\/1\.1 1\d\d [^\r]*\r\n([^\r]+\r\n)*\r\n)+/, '');
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const head = text.slice(0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return text.length >= headEnd + 4 + Number(length);
  return /\r\ntransfer-encoding: chunked/i.test(head) && text.endsWith('0\r\n\r\n');
}
