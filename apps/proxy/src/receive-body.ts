import type { IncomingMessage } from 'node:http';
import { ProxyError } from './proxy-error.ts';

/**
 * The whole body of a request, as it came.
 *
 * @throws ProxyError with `body_too_large`, from its announced length or while it arrives. Rejects when the client leaves.
 */
export async function receiveBody(incoming: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  const pieces: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > limitBytes) {
        incoming.pause();
        reject(tooLarge(limitBytes));
        return;
      }
      pieces.push(piece);
    });
    incoming.once('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
    incoming.once('error', reject);
    incoming.once('aborted', () => reject(new Error('the client left before its request was whole')));
  });
}

function tooLarge(limitBytes: number): ProxyError {
  return new ProxyError('body_too_large', `The request body is larger than ${limitBytes} bytes.`);
}
