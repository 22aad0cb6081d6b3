/** What an upstream's body is made of, in order. */
export type WireEvent = StreamEvent | StreamComment | WholeBody;

/** A server-sent event. Formats without event names have `name` undefined. */
export interface StreamEvent {
  readonly kind: 'event';
  readonly name: string | undefined;
  /** The event's id field, which no provider's client needs, and which is passed on all the same. */
  readonly id: string | undefined;
  /** The lines of its data, joined by line feeds. */
  readonly data: string;
}

/** A comment line of a stream, with which upstreams keep the line alive. */
export interface StreamComment {
  readonly kind: 'comment';
  readonly text: string;
}

/** An answer that is no stream: its body in one piece. */
export interface WholeBody {
  readonly kind: 'whole';
  readonly text: string;
}
