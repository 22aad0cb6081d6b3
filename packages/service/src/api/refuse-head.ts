import type { Duplex } from 'node:stream';
import { COMMON_ERRORS, type CommonErrorCode } from '@winnow/core';
import type { HeadError } from '../create-http-server.ts';
import { commonError } from './api-error.ts';
import { errorResponse, type WriteError } from './exchange.ts';

/**
 * Responds to a request whose head cannot be read. The response is written by hand, because Node has no
 * request and response objects for it.
 */
export function refuseHead(
  { code: cause }: HeadError,
  socket: Duplex,
  { makeId, writeError }: { readonly makeId: () => string; readonly writeError?: WriteError | undefined },
): void {
  const isLate = cause === 'ERR_HTTP_REQUEST_TIMEOUT';
  const code: CommonErrorCode = isLate ? 'request_timeout' : 'invalid_request';
  const message = isLate ? 'The request did not arrive in time.' : whyUnreadable(cause);
  const { body } = errorResponse(commonError(code, message), writeError);
  const head = [
    `HTTP/1.1 ${COMMON_ERRORS[code]} ${isLate ? 'Request Timeout' : 'Bad Request'}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${makeId()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function whyUnreadable(cause: string | undefined): string {
  return cause === 'HPE_HEADER_OVERFLOW'
    ? "The request's headers are larger than 16 KiB."
    : 'The request is not valid HTTP.';
}
