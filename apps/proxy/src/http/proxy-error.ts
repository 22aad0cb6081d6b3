import type { Vendor } from '@winnow/wire';
import { isTransportError } from './is-transport-error.ts';

/** Every error that the proxy itself makes, with its HTTP status and when it happens. */
export const PROXY_ERRORS = {
  /** The request line holds no path, or `x-winnow-mode` says what there is not. */
  bad_request: 400,
  /** A stored response that was made of several is to be streamed once more. */
  resume_not_supported: 400,
  /** `server.tokens` is set, and the request has none of them. */
  unauthorized: 401,
  /** The proxy holds a key, and was called by a host name that is not in `server.allowed_hosts`. */
  host_not_allowed: 403,
  /** The proxy holds a key, and was called from a page whose origin is not in `server.allowed_origins`. */
  origin_not_allowed: 403,
  /** The request has to be signed, and there are no credentials to sign it with. */
  no_credentials: 403,
  /** No upstream is configured for the path; or no such route of the proxy's own. */
  no_upstream: 404,
  /** The head of the request did not arrive in time, or its body stands still. */
  request_timeout: 408,
  /** The body is larger than `server.max_body`. */
  body_too_large: 413,
  /** A WebSocket was asked for: clients fall back to plain HTTP. */
  upgrade_refused: 426,
  /** The headers are larger than Node takes them. */
  head_too_large: 431,
  /** A defect of the proxy; the original bytes could not be sent either. */
  internal: 500,
  /** The upstream cannot be reached, or ended the connection without a response. */
  upstream_unreachable: 502,
  /** Other requests hold the memory that reading a body would take which has to be read. */
  short_of_memory: 503,
  /** The proxy is about to stop. */
  draining: 503,
} as const;

export type ProxyErrorCode = keyof typeof PROXY_ERRORS;

/** An error that becomes the response to the client. */
export class ProxyError extends Error {
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of the response that an error becomes, whatever it is. */
export function errorCodeOf(error: unknown): ProxyErrorCode {
  if (error instanceof ProxyError) return error.code;
  return isTransportError(error) ? 'upstream_unreachable' : 'internal';
}

/** The JSON body of an error, in the shape that clients of the vendor read. */
export function errorBody({ code, message }: ProxyError, vendor: Vendor): string {
  return vendor.errorBody({ status: PROXY_ERRORS[code], code, message });
}
