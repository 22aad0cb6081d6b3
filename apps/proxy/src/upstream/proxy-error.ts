import type { Vendor } from '@winnow/wire';

/** Every error that the proxy itself creates, with its HTTP status and its cause. */
export const PROXY_ERRORS = {
  /** The request line has no path, or `x-winnow-mode` has an unknown value. */
  bad_request: 400,
  /** The client asks to stream a stored response again that was joined from several. */
  resume_not_supported: 400,
  /** `server.tokens` is set, and the request has none of them. */
  unauthorized: 401,
  /** The request would spend the operator's key, and its host name is not in `server.allowed_hosts`. */
  host_not_allowed: 403,
  /** The request would spend the operator's key, and its page's origin is not in `server.allowed_origins`. */
  origin_not_allowed: 403,
  /** The request must be signed, and no credentials are available. */
  no_credentials: 403,
  /** No upstream is configured for the path, or the proxy has no such route. */
  no_upstream: 404,
  /** No provider uses the method. */
  method_not_allowed: 405,
  /** The head of the request did not arrive in time, or its body stopped making progress. */
  request_timeout: 408,
  /** The body is larger than `server.max_body`. */
  body_too_large: 413,
  /** The client asked for a WebSocket: clients fall back to plain HTTP. */
  upgrade_refused: 426,
  /** The headers exceed Node's limit. */
  head_too_large: 431,
  /** A defect of the proxy prevented even sending the original bytes. */
  internal: 500,
  /** The upstream is unreachable, or closed the connection without a response. */
  upstream_unreachable: 502,
  /** Other requests hold the memory that reading the body needs, and the body must be read. */
  short_of_memory: 503,
  /** The proxy is shutting down. */
  draining: 503,
} as const;

type ProxyErrorCode = keyof typeof PROXY_ERRORS;

/** An error that becomes the response to the client. */
export class ProxyError extends Error {
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns the code of the response that an error becomes. */
export function errorCodeOf(error: unknown): ProxyErrorCode {
  if (error instanceof ProxyError) return error.code;
  return isTransportError(error) ? 'upstream_unreachable' : 'internal';
}

/** Returns the JSON body of an error in the format that the vendor's clients read. */
export function errorBody({ code, message }: ProxyError, vendor: Vendor): string {
  return vendor.errorBody({ status: PROXY_ERRORS[code], code, message });
}

/**
 * Whether an error comes from a connection or from encoded bytes rather than from a defect. Sockets, undici
 * and zlib set a code, except for invalid HTTP.
 */
export function isTransportError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return typeof (error as NodeJS.ErrnoException).code === 'string' || error.name === 'HTTPParserError';
}

/** Whether a status is a success: 2xx. */
export function isGood({ status }: { readonly status: number }): boolean {
  return status >= 200 && status <= 299;
}
