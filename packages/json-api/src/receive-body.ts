import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { ACCEPTED_ENCODINGS, contentDecoder } from '@winnow/service';
import { type ApiError, commonError } from './api-error.ts';
import { ClientGone } from './client-gone.ts';

/** How much a client may send, and for how long. */
export interface BodyLimits {
  /** Cap on the decoded body. */
  readonly maxBytes: number;
  /** How long the body may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Hands the decoded body to `write`, chunk by chunk, and resolves at its end.
 *
 * The body is refused before a byte of it is read when its announced length is above the cap, and while it is read as soon
 * as what was decoded is: a compressed bomb costs the cap, not what it unpacks to. The request may not be consumed yet.
 *
 * Rejects with `payload_too_large`, `request_timeout`, `unsupported_media_type` (an encoding that is not known, or several),
 * `invalid_json` (compressed data that is broken), what `write` throws, and {@link ClientGone} when the client leaves.
 */
export async function receiveBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  write: (chunk: Buffer) => void,
  limits: BodyLimits,
): Promise<void> {
  const decoder = createDecoder(incoming.headers['content-encoding']);
  if (announcedBytes(incoming) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  // A client that asked first is told to go on only here, when nothing speaks against its request any more.
  if (incoming.headers.expect !== undefined && incoming.httpVersion === '1.1') outgoing.writeContinue();
  return new Promise((resolve, reject) => {
    const source = decoder ?? incoming;
    let receivedBytes = 0;

    const settle = (error?: Error): void => {
      clearTimeout(timer);
      source.off('data', onData);
      if (decoder) {
        incoming.unpipe(decoder);
        decoder.destroy();
      }
      if (error) reject(error);
      else resolve();
    };
    const onData = (chunk: Buffer): void => {
      receivedBytes += chunk.length;
      if (receivedBytes > limits.maxBytes) {
        settle(tooLarge(limits.maxBytes));
        return;
      }
      try {
        write(chunk);
      } catch (error) {
        // Thrown out of an event's handler, it would end the process.
        settle(error as Error);
      }
    };
    const timer = setTimeout(() => settle(tooSlow(limits.timeoutMs)), limits.timeoutMs);

    source.on('data', onData);
    source.once('end', () => settle());
    decoder?.once('error', (cause) => settle(brokenEncoding(cause)));
    // Without `end`, the connection broke: `error` and `close` both say so, and the first to come settles.
    incoming.once('error', (cause) => settle(new ClientGone({ cause })));
    incoming.once('close', () => {
      if (!incoming.complete) settle(new ClientGone());
    });
    if (decoder) incoming.pipe(decoder);
  });
}

/** The announced length of the body in bytes, 0 when there is none or the body is compressed. */
export function expectedBytes(incoming: IncomingMessage): number {
  const isPlain = contentDecoder(incoming.headers['content-encoding']) === 'identity';
  return isPlain ? announcedBytes(incoming) : 0;
}

/**
 * What decoding takes beside what is decoded, when so many bytes have been decoded: a decoder copies from what it has decoded, and holds no more of
 * it than its window.
 */
export function decodingBytes(incoming: IncomingMessage, decodedBytes: number): number {
  const decoder = contentDecoder(incoming.headers['content-encoding']);
  return decoder === undefined || decoder === 'identity' ? 0 : Math.min(decoder.memoryBytes, decodedBytes);
}

/** The length on the wire. Node has checked that the header is a number. */
function announcedBytes(incoming: IncomingMessage): number {
  return Number(incoming.headers['content-length'] ?? 0);
}

function createDecoder(contentEncoding: string | undefined): Transform | undefined {
  const decoder = contentDecoder(contentEncoding);
  if (decoder === undefined) {
    throw commonError(
      'unsupported_media_type',
      `The content-encoding is not one of: ${ACCEPTED_ENCODINGS}.`,
      // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16
      { headers: { 'accept-encoding': ACCEPTED_ENCODINGS } },
    );
  }
  return decoder === 'identity' ? undefined : decoder.createStream();
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
