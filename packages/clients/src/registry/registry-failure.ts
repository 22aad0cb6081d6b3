/** The reasons why a registry is not followed, used as labels of metrics and in the log. */
export const REGISTRY_FAILURES = [
  /** The connection failed, was cut off, or was silent for too long. */
  'unreachable',
  /** The registry has ended the feed: it restarts, or has disconnected this follower. */
  'ended',
  /** The token is not accepted, or may not read. */
  'refused',
  /** The missed changes are no longer available, or the registry was reset: all tools are listed again. */
  'stale',
  /** The status is not a success, for example because the registry is starting. */
  'unavailable',
  /** The response does not have the form of a registry's. */
  'invalid_response',
  /** The registry has more tools than the follower accepts. */
  'too_many_tools',
] as const;

export type RegistryFailureReason = (typeof REGISTRY_FAILURES)[number];

/** An error that ends one attempt to follow a registry. */
export class RegistryFailure extends Error {
  override readonly name = 'RegistryFailure';
  readonly reason: RegistryFailureReason;
  /** The status of a response that is not a success. */
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
