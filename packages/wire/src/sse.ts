import { createParser } from 'eventsource-parser';

/** What an upstream's body is made of, in order. */
export type WireEvent = StreamEvent | StreamComment | WholeBody;

/** A server-sent event. */
export interface StreamEvent {
  readonly kind: 'event';
  /** Undefined when the stream does not name it. */
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

/**
 * Turns the bytes of an event stream into events, however they are cut.
 *
 * Contract: for one stream. Line ends may be LF, CRLF or CR; a byte order mark is dropped; characters may be split over
 * pieces; an event at the end of the stream counts even without the blank line behind it. Lines may be of any length up
 * to the limit on an unfinished event; beyond it, the rest of the stream gives no events.
 */
export interface EventDecoder {
  /** The events that these bytes complete. */
  push(bytes: Uint8Array): WireEvent[];
  /** The events that the end of the stream completes. */
  end(): WireEvent[];
  /** Whether an event was beyond the limit, so that the rest of the stream need not be read. */
  readonly isOverflown: boolean;
}

/** How many characters one unfinished event may hold: far beyond any answer, far below what would hurt. */
export const HELD_EVENT_CHARS = 64 * 1024 * 1024;

/** A decoder for one event stream. */
export function createEventDecoder(limitChars = HELD_EVENT_CHARS): EventDecoder {
  let events: WireEvent[] = [];
  let isOverflown = false;
  const text = new TextDecoder();
  const parser = createParser({
    maxBufferSize: limitChars,
    onEvent: ({ event, id, data }) => events.push({ kind: 'event', name: event, id, data }),
    onComment: (comment) => events.push({ kind: 'comment', text: comment }),
    onError: ({ type }) => {
      isOverflown ||= type === 'max-buffer-size-exceeded';
    },
  });
  const feed = (piece: string): WireEvent[] => {
    events = [];
    if (!isOverflown && piece !== '') parser.feed(piece);
    return events;
  };
  return {
    push: (bytes) => feed(text.decode(bytes, { stream: true })),
    // One line end closes an unfinished line, the other the event.
    end: () => feed(`${text.decode()}\n\n`),
    get isOverflown() {
      return isOverflown;
    },
  };
}

/** An event, or a body that is one, is longer than may be held. */
export class OverlongEvent extends Error {
  constructor() {
    super('an event is longer than may be held');
  }
}

/**
 * The events of an upstream's body, already decompressed, each as soon as its bytes are there.
 *
 * A body whose content type is no event stream is one event of kind `whole`. Pulls the next piece only when asked for
 * the next event; errors of the body go to the caller.
 *
 * @throws OverlongEvent once an event, or a whole body, is longer than `limitChars`; nothing more is read.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
  limitChars = HELD_EVENT_CHARS,
): AsyncGenerator<WireEvent, void, undefined> {
  if (!isEventStream(contentType)) {
    yield { kind: 'whole', text: await readText(body, limitChars) };
    return;
  }
  const decoder = createEventDecoder(limitChars);
  for await (const bytes of body) {
    yield* decoder.push(bytes);
    if (decoder.isOverflown) throw new OverlongEvent();
  }
  yield* decoder.end();
}

/** True for a content type of an event stream, whatever its parameters. */
export function isEventStream(contentType: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1);
  return type.trim().toLowerCase() === 'text/event-stream';
}

/** An event as bytes of a stream; `name` and `id` are left out where there is none. */
export function writeEvent(event: Pick<StreamEvent, 'data'> & Partial<StreamEvent>): string {
  const name = event.name === undefined ? '' : `event: ${event.name}\n`;
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return `${name}${id}data: ${event.data.replaceAll('\n', '\ndata: ')}\n\n`;
}

/** A comment as bytes of a stream. */
export function writeComment(text: string): string {
  return `:${text.startsWith(' ') ? '' : ' '}${text}\n\n`;
}

async function readText(body: AsyncIterable<Uint8Array>, limitChars: number): Promise<string> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  let chars = 0;
  for await (const bytes of body) {
    const piece = text.decode(bytes, { stream: true });
    chars += piece.length;
    if (chars > limitChars) throw new OverlongEvent();
    pieces.push(piece);
  }
  return pieces.join('') + text.decode();
}
