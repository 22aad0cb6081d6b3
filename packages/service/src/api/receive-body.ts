import type { IncomingMessage, ServerResponse } from 'node:http';
import { ACCEPTED_ENCODINGS, contentDecoder } from '../bodies/content-decoder.ts';
import { decodeEach, UndecodableBody } from '../bodies/decode-body.ts';
import { type ApiError, commonError } from './api-error.ts';
import { ClientGone } from './client-gone.ts';

/** How much a client may send, and for how long. */
export interface BodyLimits {
  /** Cap on the decoded body. */
  readonly maxBytes: number;
  /** How long the body may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
}

/** Takes a body. What either function throws, the body is refused with. */
export interface BodySink {
  /** Told before more than so many bytes are held of the body as it came, beside what was written; 0 again at its end. */
  readonly hold: (bytes: number) => void;
  /** Takes the next piece of the decoded body. */
  readonly write: (chunk: Buffer) => void;
}

/**
 * Hands the decoded body to a sink, chunk by chunk, and resolves at its end.
 *
 * The body is refused before a byte of it is read when its announced length is above the cap, and while it is read as soon
 * as what was decoded is: a compressed bomb costs the cap, not what it unpacks to. One that is encoded is decoded when all of it is there, a few at a
 * time, as a decoder may fill a window of many megabytes before it gives its first byte. The request may not be consumed yet.
 *
 * Rejects with `payload_too_large`, `request_timeout`, `unsupported_media_type` (an encoding that is not known, or several),
 * `invalid_json` (compressed data that is broken), what the sink throws, and {@link ClientGone} when the client leaves.
 */
export async function receiveBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  sink: BodySink,
  limits: BodyLimits,
): Promise<void> {
  const encoding = incoming.headers['content-encoding'];
  const decoder = contentDecoder(encoding);
  if (decoder === undefined) throw unknownEncoding();
  if (announcedBytes(incoming) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  // A client that asked first is told to go on only here, when nothing speaks against its request any more.
  if (incoming.headers.expect !== undefined && incoming.httpVersion === '1.1') outgoing.writeContinue();
  if (decoder === 'identity') return receive(incoming, sink.write, limits);
  const encoded = await receiveEncoded(incoming, sink, limits);
  if (outgoing.destroyed) throw new ClientGone();
  await decode(encoded, encoding, sink, limits);
  sink.hold(0);
}

async function receiveEncoded(
  incoming: IncomingMessage,
  { hold }: BodySink,
  limits: BodyLimits,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const write = (chunk: Buffer) => {
    bytes += chunk.length;
    // The chunks, and what they are put together in.
    hold(2 * bytes);
    chunks.push(chunk);
  };
  await receive(incoming, write, limits);
  hold(bytes);
  return Buffer.concat(chunks);
}

async function decode(
  encoded: Buffer,
  encoding: string | undefined,
  { write }: BodySink,
  { maxBytes }: BodyLimits,
): Promise<void> {
  let bytes = 0;
  try {
    await decodeEach(encoded, encoding, (piece) => {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      write(piece);
      return true;
    });
  } catch (error) {
    throw error instanceof UndecodableBody ? brokenEncoding(error.cause) : error;
  }
}

/** The body as it comes, in time. */
function receive(
  incoming: IncomingMessage,
  write: (chunk: Buffer) => void,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      incoming.off('data', onData);
      if (error) reject(error);
      else resolve();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        settle(tooLarge(maxBytes));
        return;
      }
      try {
        write(chunk);
      } catch (error) {
        // Thrown out of an event's handler, it would end the process.
        settle(error as Error);
      }
    };
    const timer = setTimeout(() => settle(tooSlow(timeoutMs)), timeoutMs);

    incoming.on('data', onData);
    incoming.once('end', () => settle());
    // Without `end`, the connection broke: `error` and `close` both say so, and the first to come settles.
    incoming.once('error', (cause) => settle(new ClientGone({ cause })));
    incoming.once('close', () => {
      if (!incoming.complete) settle(new ClientGone());
    });
  });
}

/** The announced length of the body in bytes, 0 when there is none or the body is compressed. */
export function expectedBytes(incoming: IncomingMessage): number {
  const isPlain = contentDecoder(incoming.headers['content-encoding']) === 'identity';
  return isPlain ? announcedBytes(incoming) : 0;
}

/** The length on the wire. Node has checked that the header is a number. */
function announcedBytes(incoming: IncomingMessage): number {
  return Number(incoming.headers['content-length'] ?? 0);
}

function unknownEncoding(): ApiError {
  return commonError(
    'unsupported_media_type',
    `The content-encoding is not one of: ${ACCEPTED_ENCODINGS}.`,
    // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16
    { headers: { 'accept-encoding': ACCEPTED_ENCODINGS } },
  );
}

function tooLarge(maxBytes: number): ApiError {
  return commonError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
}

function tooSlow(timeoutMs: number): ApiError {
  return commonError('request_timeout', `The body did not arrive within ${timeoutMs} ms.`);
}

function brokenEncoding(cause: unknown): ApiError {
  return commonError('invalid_json', 'The compressed body cannot be decoded.', { cause });
}
