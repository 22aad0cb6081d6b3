import type { ProxyError } from '../format.ts';

/** Kinds of errors, as OpenAI names them by status. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'invalid_request_error',
  429: 'rate_limit_error',
};

/** An error in the shape of OpenAI's, which serves as the body of an answer and as an event of a stream. */
export function errorBody({ status, message }: ProxyError): string {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return JSON.stringify({ error: { message, type, param: null, code: null } });
}
