/** Why a provider refuses a request, before its own error shape is put on it. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  /** The provider's own word, `invalid_request_error` for example. What usually goes with the status when left out. */
  readonly errorType?: string;
  /** OpenAI's pointer at the offending parameter. */
  readonly param?: string;
  /** OpenAI's machine-readable reason. */
  readonly code?: string;
}

/** A refusal with status 400, which is nearly all of them. */
export function badRequest(message: string, more: Pick<Rejection, 'param' | 'code'> = {}): Rejection {
  return { status: 400, message, ...more };
}
