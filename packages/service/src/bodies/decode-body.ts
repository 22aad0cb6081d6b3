import { Readable } from 'node:stream';
import { contentDecoder } from './content-decoder.ts';

/** A body that cannot be decoded: an unknown encoding, broken data, or more than the limit. */
export class UndecodableBody extends Error {}

/**
 * The decoded bytes of a body; the same bytes when they are not encoded, undefined for an encoding that is unknown.
 * Each piece is decoded as soon as it is there. An error of either, and leaving the decoded one, ends both.
 */
export function decodeStream(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string | undefined,
): AsyncIterable<Uint8Array> | undefined {
  const decoder = contentDecoder(contentEncoding);
  if (decoder === 'identity') return body;
  if (decoder === undefined) return undefined;
  const encoded = Readable.from(body, { objectMode: false });
  const decoded = decoder.createStream();
  encoded.on('error', (error) => decoded.destroy(error));
  decoded.on('close', () => encoded.destroy());
  return encoded.pipe(decoded);
}

/**
 * The decoded bytes of a whole body, `limitBytes` of them at most.
 *
 * @throws UndecodableBody
 */
export async function decodeWhole(
  body: Buffer,
  contentEncoding: string | undefined,
  limitBytes: number,
): Promise<Buffer> {
  const decoder = contentDecoder(contentEncoding);
  if (decoder === 'identity') return body;
  if (decoder === undefined) throw new UndecodableBody('unknown content-encoding');
  try {
    return await decoder.decode(body, limitBytes);
  } catch (cause) {
    throw new UndecodableBody('the body cannot be decoded', { cause });
  }
}
