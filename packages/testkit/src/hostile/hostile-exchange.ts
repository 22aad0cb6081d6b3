/** Bytes that mean harm on one connection, and what the client does once they are written. */
export interface HostileExchange {
  /** What is tried, such as `deep arrays`. */
  readonly kind: string;
  /** Written one after the other. */
  readonly pieces: readonly Buffer[];
  /**
   * `wait` for an answer or the end of the connection; `half_close`: say that nothing more comes, and wait; `leave` without waiting, as
   * the request never becomes whole.
   */
  readonly ending: 'wait' | 'half_close' | 'leave';
  /** Whether the answer is to be read as HTTP/2. */
  readonly isHttp2?: true;
}
