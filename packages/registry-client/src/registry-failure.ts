/** Why a registry is not followed at the moment: a label of metrics and a word of the log. */
export const REGISTRY_FAILURES = [
  /** There is no connection, it broke off, or nothing was heard for too long. */
  'unreachable',
  /** The registry has ended the feed: it restarts, or has cut this follower off. */
  'ended',
  /** The token is not accepted, or may not read. */
  'refused',
  /** What changed is no longer kept, or the registry has begun anew: everything is listed again. */
  'stale',
  /** Another status than success, such as one of a registry that starts. */
  'unavailable',
  /** What came is not what a registry sends. */
  'invalid_response',
  /** There are more tools than whoever follows takes. */
  'too_many_tools',
] as const;

export type RegistryFailureReason = (typeof REGISTRY_FAILURES)[number];

/** Ends one attempt to follow a registry. */
export class RegistryFailure extends Error {
  override readonly name = 'RegistryFailure';
  readonly reason: RegistryFailureReason;
  /** The status of a response that is no success. */
  readonly status: number | undefined;

  constructor(
    reason: RegistryFailureReason,
    message: string,
    { cause, status }: { readonly cause?: unknown; readonly status?: number } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.status = status;
  }
}
