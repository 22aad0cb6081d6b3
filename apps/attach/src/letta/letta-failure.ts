/** Why a call of Letta failed. */
export const LETTA_FAILURES = {
  /** The agent or the tool does not exist. */
  not_found: 'not found',
  /** Letta takes an id or a value for malformed. */
  rejected: 'rejected',
  /** The password is not the right one. */
  unauthorized: 'unauthorized',
  /** A status that says that Letta itself fails, or that its database has a conflict. */
  unavailable: 'unavailable',
  /** There was no connection, or it broke. */
  unreachable: 'unreachable',
  /** No answer in time. */
  timeout: 'timeout',
  /** An answer of another form. */
  invalid_response: 'invalid response',
} as const;

export type LettaFailureReason = keyof typeof LETTA_FAILURES;

/** A call of Letta that failed. The message holds nothing of the answer. */
export class LettaFailure extends Error {
  override readonly name = 'LettaFailure';
  readonly reason: LettaFailureReason;

  constructor(reason: LettaFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** Whether the call may have had its effect all the same. */
  get isUncertain(): boolean {
    return !['not_found', 'rejected', 'unauthorized'].includes(this.reason);
  }
}
