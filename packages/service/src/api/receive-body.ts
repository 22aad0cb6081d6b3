import type { IncomingMessage, ServerResponse } from 'node:http';
import { ACCEPTED_ENCODINGS, contentDecoder, decodeEach, UndecodableBody } from '../bodies/decode-body.ts';
import { type ApiError, ClientGone, commonError } from './api-error.ts';

/** The size and time limits of a client's body. */
export interface BodyLimits {
  /** The limit on the decoded body, in bytes. */
  readonly maxBytes: number;
  /** The time in which the body must arrive, in milliseconds. */
  readonly timeoutMs: number;
}

/** Takes a body. If either function throws, the body is refused with that error. */
export interface BodySink {
  /**
   * Called before more than this many bytes of the encoded body are held, in addition to the written ones;
   * called with 0 at its end.
   */
  readonly hold: (bytes: number) => void;
  /** Takes the next piece of the decoded body. */
  readonly write: (chunk: Buffer) => void;
}

/**
 * Passes the decoded body to a sink, chunk by chunk, and resolves at its end.
 *
 * A body whose announced length exceeds the limit is refused before it is read, and any other body as soon as
 * its decoded bytes exceed the limit: a compressed bomb costs the limit, not its decoded size. An encoded
 * body is decoded after it has arrived, only a few bodies at a time, because a decoder may fill a window of
 * many megabytes before its first byte. The request must not be consumed before.
 *
 * Rejects with `payload_too_large`, `request_timeout`, `unsupported_media_type` (an unknown encoding, or
 * several), `invalid_json` (broken compressed data), any error of the sink, and {@link ClientGone} when the
 * client leaves.
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
  // A client that expects `100 Continue` gets it only here, after all other checks.
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
    // The chunks, and the buffer that joins them.
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

/** Receives the body unchanged, within the time limit. */
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
        // An error thrown by an event handler would end the process.
        settle(error as Error);
      }
    };
    const timer = setTimeout(() => settle(tooSlow(timeoutMs)), timeoutMs);

    incoming.on('data', onData);
    incoming.once('end', () => settle());
    // A close without `end` means a broken connection. Both `error` and `close` report it, and the first one
    // settles.
    incoming.once('error', (cause) => settle(new ClientGone({ cause })));
    incoming.once('close', () => {
      if (!incoming.complete) settle(new ClientGone());
    });
  });
}

/** Returns the announced length of the body in bytes; 0 when there is none or the body is compressed. */
export function expectedBytes(incoming: IncomingMessage): number {
  const isPlain = contentDecoder(incoming.headers['content-encoding']) === 'identity';
  return isPlain ? announcedBytes(incoming) : 0;
}

/** Returns the length on the wire. Node has checked that the header is a number. */
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
