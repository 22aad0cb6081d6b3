/** What a body is made of, in order, whatever frames it. */
export type WireEvent = StreamEvent | StreamComment | WholeBody;

/** One event of a stream. */
export interface StreamEvent {
  readonly kind: 'event';
  /** Undefined when the stream does not name it, or its framing has no names. */
  readonly name?: string | undefined;
  /** The event's id, which no provider's client needs, and which is passed on all the same. */
  readonly id?: string | undefined;
  /** Mostly JSON. */
  readonly data: string;
  /** Whether the framing itself says that it is an error. False by default; most framings have no such thing. */
  readonly isError?: true | undefined;
  /** Absent when the event was made, or changed, on the way. */
  readonly source?: FrameSource | undefined;
}

/** What stands between the events of a stream and says nothing: comments, with which upstreams keep the line alive, and blank lines. */
export interface StreamComment {
  readonly kind: 'comment';
  /** Empty for what is no comment either. */
  readonly text: string;
  readonly source?: FrameSource | undefined;
}

/** A response that is no stream: its body in one piece. */
export interface WholeBody {
  readonly kind: 'whole';
  readonly text: string;
}

/** An event as it came: written in the framing that it came in, it is the same bytes again. */
export interface FrameSource {
  /** The framing's name. */
  readonly framing: string;
  /** Empty where the framing is not made of text. */
  readonly text: string;
  /** The same where it is not. */
  readonly bytes?: Uint8Array;
}

/** The event with other data; the very same one when the data is the same. */
export function withData(event: StreamEvent, data: string): StreamEvent {
  if (data === event.data) return event;
  const { name, id, isError } = event;
  return { kind: 'event', name, id, data, ...(isError && { isError }) };
}
