import type { Readable } from 'node:stream';

/**
 * Shows the pieces of a body as they flow, in the same tick, without making it flow.
 *
 * A listener starts a stream, and its first pieces would be lost to who connects later; not so when it was paused. Whoever passes the
 * body on resumes it, and slows it down when its own reader is slow.
 */
export function tapBody(body: Readable, see: (piece: Uint8Array) => void): void {
  body.pause();
  body.on('data', see);
}
