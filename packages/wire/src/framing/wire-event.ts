/** A part of a body in any framing. */
export type WireEvent = StreamEvent | StreamComment | WholeBody;

export interface StreamEvent {
  readonly kind: 'event';
  /** Undefined when the stream does not name it, or its framing has no names. */
  readonly name?: string | undefined;
  /** The event's id. No provider's client needs it, but it is passed on. */
  readonly id?: string | undefined;
  /** The event's data, usually JSON. */
  readonly data: string;
  /**
   * Whether the framing itself marks the event as an error. False by default; most framings have no such
   * mark.
   */
  readonly isError?: true | undefined;
  /** Absent when the event was created or changed by Winnow. */
  readonly source?: FrameSource | undefined;
}

/**
 * A part of a stream without an event: a comment, with which upstreams keep connections alive, or a blank
 * line.
 */
interface StreamComment {
  readonly kind: 'comment';
  /** Empty for a blank line. */
  readonly text: string;
  readonly source?: FrameSource | undefined;
}

/** A response that is not a stream: its body in one piece. */
export interface WholeBody {
  readonly kind: 'whole';
  readonly text: string;
}

/** The original bytes of an event, which its framing writes again. */
interface FrameSource {
  /** The framing's name. */
  readonly framing: string;
  /** Empty when the framing is not text. */
  readonly text: string;
  /** The bytes when the framing is not text. */
  readonly bytes?: Uint8Array;
}

export function eventText(event: WireEvent): string {
  return event.kind === 'event' ? event.data : event.text;
}

/** Returns the event with other data; the same event when the data is equal. */
export function withData(event: StreamEvent, data: string): StreamEvent {
  if (data === event.data) return event;
  const { name, id, isError } = event;
  return { kind: 'event', name, id, data, ...(isError && { isError }) };
}
