/** What a hostile client was answered: how it counts, and what is wrong with it, if anything. */
export interface Judgement {
  /** Such as `400`, or `closed` for a connection that was closed without an answer. */
  readonly outcome: string;
  readonly fault?: string;
}

/** Statuses with which a service says that it, or what it stands in front of, is broken. */
export const BROKEN_STATUSES: readonly string[] = ['500', '502'];

/** Whether a body is an error that says what is wrong. */
export function hasMessage(body: string): boolean {
  try {
    // Bedrock's errors have it at the outside.
    const { error, message = error?.message } = JSON.parse(body);
    return typeof message === 'string';
  } catch {
    return false;
  }
}
