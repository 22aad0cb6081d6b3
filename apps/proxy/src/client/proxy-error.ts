import type { Vendor } from '../upstream/choose-upstream.ts';
import { isTransportError } from '../upstream/is-transport-error.ts';

/** Every error that the proxy itself makes, with its HTTP status and when it happens. */
export const PROXY_ERRORS = {
  /** The request line holds no path, or `x-winnow-mode` says what there is not. */
  bad_request: 400,
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
  /** The upstream cannot be reached, or ended the connection without an answer. */
  upstream_unreachable: 502,
  /** The proxy is about to stop. */
  draining: 503,
} as const;

export type ProxyErrorCode = keyof typeof PROXY_ERRORS;

/** An error that becomes the answer to the client. */
export class ProxyError extends Error {
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of the answer that an error becomes, whatever it is. */
export function errorCodeOf(error: unknown): ProxyErrorCode {
  if (error instanceof ProxyError) return error.code;
  return isTransportError(error) ? 'upstream_unreachable' : 'internal';
}

/** The JSON body of an error, in the shape that clients of the vendor read. */
export function errorBody({ code, message }: ProxyError, vendor: Vendor): string {
  if (vendor === 'anthropic') {
    return JSON.stringify({ type: 'error', error: { type: anthropicType(code), message } });
  }
  const type = PROXY_ERRORS[code] < 500 ? 'invalid_request_error' : 'server_error';
  return JSON.stringify({ error: { message, type, param: null, code } });
}

/** https://docs.anthropic.com/en/api/errors */
function anthropicType(code: ProxyErrorCode): string {
  switch (code) {
    case 'no_upstream':
      return 'not_found_error';
    case 'body_too_large':
      return 'request_too_large';
    case 'bad_request':
    case 'head_too_large':
    case 'request_timeout':
    case 'upgrade_refused':
      return 'invalid_request_error';
    case 'draining':
      return 'overloaded_error';
    case 'internal':
    case 'upstream_unreachable':
      return 'api_error';
    default: {
      const missing: never = code;
      return missing;
    }
  }
}
