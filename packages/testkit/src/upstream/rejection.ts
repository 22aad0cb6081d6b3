/** A provider's reason to refuse a request, independent of its error shape. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  /**
   * The provider's own error type, such as `invalid_request_error`. Default: the usual one for the status.
   */
  readonly errorType?: string;
  /** OpenAI's reference to the offending parameter. */
  readonly param?: string;
  /** OpenAI's machine-readable reason. */
  readonly code?: string;
}

/** A refusal with status 400, by far the most common. */
export function badRequest(message: string, more: Pick<Rejection, 'param' | 'code'> = {}): Rejection {
  return { status: 400, message, ...more };
}
