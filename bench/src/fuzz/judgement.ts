/** The server's reaction to a hostile client: its outcome, and its fault if any. */
export interface Judgement {
  /** An outcome such as `400`, or `closed` for a connection that was closed without a response. */
  readonly outcome: string;
  readonly fault?: string;
}

/** Statuses that report a failure of the service itself or of its upstream. */
export const BROKEN_STATUSES: readonly string[] = ['500', '502'];

/** Whether a body is an error with a message. */
export function hasMessage(body: string): boolean {
  try {
    // In Bedrock's errors the message is at the top level.
    const { error, message = error?.message } = JSON.parse(body);
    return typeof message === 'string';
  } catch {
    return false;
  }
}
