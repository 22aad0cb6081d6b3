import type { ErrorCode, ErrorDetail } from '@winnow/contract';

/** What a {@link SelectorError} carries beside its code and message. */
export interface SelectorErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** Headers that the answer needs, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * Ends an exchange with one of the contract's error codes; `exchange.ts` turns it into the answer, and nothing else does.
 *
 * The codes and when each happens are listed in the contract's `ERRORS`. The message is for the client: it never holds
 * content of a request, a path or a stack.
 */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: SelectorErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}
