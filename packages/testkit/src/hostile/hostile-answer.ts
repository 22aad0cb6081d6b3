/** The bytes that a hostile upstream writes on a connection. */
export interface HostileAnswer {
  /** Name of the attack, such as `an event without end`. */
  readonly kind: string;
  /** Head and body. */
  readonly pieces: Iterable<Buffer>;
  /** The upstream's next action: it ends the connection, resets it, or stays silent. */
  readonly ending: 'end' | 'reset' | 'silence';
}
