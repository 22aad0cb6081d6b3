import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Vendor } from '../upstream/choose-upstream.ts';
import { errorBody, PROXY_ERRORS, ProxyError } from './proxy-error.ts';

/** What Node tells of bytes that are no request. */
export interface HeadError extends Error {
  readonly code?: string | undefined;
  /** The bytes that the parser was given last. */
  readonly rawPacket?: Buffer | undefined;
}

/** Answers bytes that are no HTTP request, and closes the connection: where the next request begins, nobody knows. */
export function refuseHead(error: HeadError, socket: Duplex): void {
  const refusal = toProxyError(error);
  const body = errorBody(refusal, vendorOf(error.rawPacket));
  const status = PROXY_ERRORS[refusal.code];
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function toProxyError({ code }: HeadError): ProxyError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProxyError('head_too_large', "The request's headers are larger than 16 KiB.");
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProxyError('request_timeout', 'The request did not arrive in time.');
    default:
      return new ProxyError('bad_request', 'The request is not valid HTTP.');
  }
}

/** A guess, as the request cannot be read. */
function vendorOf(bytes: Buffer | undefined): Vendor {
  const isAnthropic = bytes?.includes('anthropic-version') || bytes?.includes('/v1/messages');
  return isAnthropic ? 'anthropic' : 'openai';
}
