import { FLAG, FRAME } from './frames.ts';

/** A frame that a server wrote. */
export interface ReadFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Reads the whole frames at the start of the bytes, and the number of bytes that remain. */
export function readHttp2Frames(bytes: Buffer): {
  readonly frames: readonly ReadFrame[];
  readonly left: number;
} {
  const frames: ReadFrame[] = [];
  let at = 0;
  while (at + 9 <= bytes.length) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    frames.push({
      type: bytes[at + 3]!,
      flags: bytes[at + 4]!,
      stream,
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return { frames, left: bytes.length - at };
}

/** Whether a frame ends a response or the connection. */
export function endsExchange({ type, flags }: ReadFrame): boolean {
  if (type === FRAME.reset || type === FRAME.goAway) return true;
  return (type === FRAME.data || type === FRAME.headers) && (flags & FLAG.endStream) !== 0;
}
