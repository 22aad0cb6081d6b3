/** What an upstream that means harm writes on a connection, byte by byte. */
export interface HostileAnswer {
  /** What is tried, such as `an event without end`. */
  readonly kind: string;
  /** Head and body. */
  readonly pieces: Iterable<Buffer>;
  /** What it does with the connection behind them: ends it, resets it, or says nothing more. */
  readonly ending: 'end' | 'reset' | 'silence';
}
