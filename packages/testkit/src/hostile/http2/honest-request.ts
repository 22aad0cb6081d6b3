import type { HostileTarget } from '../hostile-target.ts';
import { FLAG, FRAME, frame, literalFields } from './frames.ts';

/** The longest frame that every server accepts, in bytes. */
const MOST_FRAME_BYTES = 16_384;

/** The initial flow-control window: a server accepts no more before it has read some. */
export const MOST_BODY_BYTES = 60_000;

/** The fields of a valid head, followed by these. */
export function fieldsOf(
  { path, headers }: HostileTarget,
  more: readonly (readonly [string, string])[] = [],
): (readonly [string, string])[] {
  const own = { ':method': 'POST', ':scheme': 'http', ':path': path, ':authority': 'localhost', ...headers };
  return [...Object.entries(own), ...more];
}

/** The frame of a valid head. */
export function headOf(target: HostileTarget, stream: number, flags: number = FLAG.endHeaders): Buffer {
  return frame({ type: FRAME.headers, flags, stream, payload: literalFields(fieldsOf(target)) });
}

/** A valid HTTP/2 request, in frames of at most this size. */
export function requestOf(
  target: HostileTarget,
  body: Buffer,
  { stream = 1, pieceBytes = MOST_FRAME_BYTES }: { stream?: number; pieceBytes?: number } = {},
): Buffer[] {
  const bytes = body.subarray(0, MOST_BODY_BYTES);
  const size = Math.min(MOST_FRAME_BYTES, Math.max(pieceBytes, Math.ceil(bytes.length / 5_000), 1));
  const frames = [headOf(target, stream)];
  for (let at = 0; at < bytes.length; at += size) {
    frames.push(frame({ type: FRAME.data, stream, payload: bytes.subarray(at, at + size) }));
  }
  return [...frames, frame({ type: FRAME.data, flags: FLAG.endStream, stream })];
}
