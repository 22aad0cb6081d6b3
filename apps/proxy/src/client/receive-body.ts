import type { IncomingMessage } from 'node:http';
import { ProxyError } from './proxy-error.ts';
import type { MemoryHold } from './request-memory.ts';

/** What a body may take. */
export interface BodyRoom {
  /** Most bytes of this body. */
  readonly limitBytes: number;
  /** How long it may stand still, in milliseconds. */
  readonly idleMs: number;
  /** What it takes of the memory that all requests share; the caller releases it. */
  readonly hold: MemoryHold;
}

/**
 * The whole body of a request, as it came; undefined when there is no memory to hold it. Then `incoming` gives it once more from its
 * beginning, to be forwarded while it comes.
 *
 * A body may come slowly, as models' inputs are large and lines are thin, but it must go on coming.
 *
 * @throws ProxyError with `body_too_large`, from its announced length or while it arrives, and with `request_timeout`. Rejects when
 * the client leaves.
 */
export async function receiveBody(
  incoming: IncomingMessage,
  { limitBytes, idleMs, hold }: BodyRoom,
): Promise<Buffer | undefined> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  const pieces: Buffer[] = [];
  let size = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const onData = (piece: Buffer) => {
    size += piece.length;
    pieces.push(piece);
    if (size > limitBytes) {
      reject(tooLarge(limitBytes));
    } else if (!hold.take(piece.length)) {
      stop();
      // The last one first, so that they come out in their order; kept here, they would outlive their way to the upstream.
      for (const taken of pieces.splice(0).reverse()) incoming.unshift(taken);
      resolve(undefined);
    }
  };
  const onEnd = () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  const onIdle = () => reject(tooSlow(idleMs));
  const stop = () => {
    incoming.off('data', onData);
    incoming.off('end', onEnd);
    incoming.pause();
  };
  incoming.on('data', onData);
  incoming.once('end', onEnd);
  incoming.once('error', reject);
  incoming.once('aborted', () => reject(new Error('the client left before its request was whole')));
  incoming.setTimeout(idleMs, onIdle);
  try {
    return await promise;
  } catch (error) {
    stop();
    throw error;
  } finally {
    incoming.off('timeout', onIdle);
    incoming.setTimeout(0);
  }
}

function tooLarge(limitBytes: number): ProxyError {
  return new ProxyError('body_too_large', `The request body is larger than ${limitBytes} bytes.`);
}

function tooSlow(idleMs: number): ProxyError {
  return new ProxyError('request_timeout', `The request body did not go on for ${idleMs} ms.`);
}
