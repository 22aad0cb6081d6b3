/** Hostile bytes for one connection, and the client's action after writing them. */
export interface HostileExchange {
  /** Name of the attack, such as `deep arrays`. */
  readonly kind: string;
  /** Pieces, written in order. */
  readonly pieces: readonly Buffer[];
  /**
   * `wait` for a response or the end of the connection; `half_close` the connection and wait; `leave` without
   * waiting, because the request never becomes complete.
   */
  readonly ending: 'wait' | 'half_close' | 'leave';
  /** Whether to read the response as HTTP/2. */
  readonly isHttp2?: true;
}
