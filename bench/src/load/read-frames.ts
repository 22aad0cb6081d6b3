import { crc32 } from 'node:zlib';
import { insist } from './wire-client.ts';

/** An event of AWS's event streams. */
export interface Frame {
  /** The value of `:event-type` or `:exception-type`. */
  readonly type: string;
  readonly payload: string;
}

/**
 * Four bytes each: the total length, the headers' length, and their checksum; the checksum of the whole frame
 * follows the payload.
 */
const [PRELUDE_BYTES, CHECKSUM_BYTES] = [12, 4];
const STRING = 7;

/**
 * Reads the events of a body as strictly as the vendor's own client: throws for a wrong length, a wrong
 * checksum or leftover bytes.
 *
 * Source: https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function readFrames(body: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let start = 0; start < body.length; ) {
    insist(body.length - start >= PRELUDE_BYTES + CHECKSUM_BYTES, 'a frame is cut off');
    const length = body.readUInt32BE(start);
    const headersLength = body.readUInt32BE(start + 4);
    insist(body.length - start >= length, 'a frame is longer than the body');
    const end = start + length - CHECKSUM_BYTES;
    const headersEnd = start + PRELUDE_BYTES + headersLength;
    insist(crc32(body.subarray(start, start + 8)) === body.readUInt32BE(start + 8), 'a prelude is wrong');
    insist(crc32(body.subarray(start, end)) === body.readUInt32BE(end), 'a checksum is wrong');
    const headers = readHeaders(body.subarray(start + PRELUDE_BYTES, headersEnd));
    const type = headers.get(':event-type') ?? headers.get(':exception-type');
    insist(type !== undefined, 'a frame has no type');
    frames.push({ type, payload: body.toString('utf8', headersEnd, end) });
    start = end + CHECKSUM_BYTES;
  }
  return frames;
}

function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes[at]!;
    insist(bytes[nameEnd] === STRING, 'a header is no text');
    const valueStart = nameEnd + 3;
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1);
    headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd));
    at = valueEnd;
  }
  return headers;
}
