import { COMMON_ERRORS, type CommonErrorCode, type ErrorDetail } from '@winnow/core';

/** The options of an {@link ApiError}. */
export interface ApiErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** Headers that the response needs, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * Ends an exchange with an error of the contract; only `exchange.ts` turns it into the response.
 *
 * Each service has its own subclass with its own table of codes. The message is for the client: it never
 * contains a request's content, a path or a stack.
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly code: string;
  /** The status of the HTTP response. */
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: string, status: number, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = status;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}

/** Returns one of the errors that every service has. */
export function commonError(code: CommonErrorCode, message: string, options: ApiErrorOptions = {}): ApiError {
  return new ApiError(code, COMMON_ERRORS[code], message, options);
}

/** The client left before its response, so there is no one to respond to and no work to finish. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor(options?: ErrorOptions) {
    super('the client closed the connection', options);
  }
}
