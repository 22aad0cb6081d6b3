/** Why a call of Letta failed. */
export type LettaFailureReason =
  /** The agent or the tool does not exist. */
  | 'not_found'
  /** Letta considers an id or a value malformed. */
  | 'rejected'
  /** The password is wrong. */
  | 'unauthorized'
  /** The status says that Letta itself fails, or that its database has a conflict. */
  | 'unavailable'
  /** There was no connection, or it broke. */
  | 'unreachable'
  /** Letta did not respond in time. */
  | 'timeout'
  /** The response has another form. */
  | 'invalid_response';

/** A failed call of Letta. The message holds no part of the response. */
export class LettaFailure extends Error {
  override readonly name = 'LettaFailure';
  readonly reason: LettaFailureReason;

  constructor(reason: LettaFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** Whether the call may still have had its effect. */
  get isUncertain(): boolean {
    return !['not_found', 'rejected', 'unauthorized'].includes(this.reason);
  }
}
