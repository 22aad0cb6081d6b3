import type { Delivery } from './delivery.ts';
import type { Interruption } from './interruption.ts';
import type { SseEvent, StreamItem } from './stream-item.ts';

/** Bytes to send, or something that happens before more bytes are sent. */
export type BodyItem = Uint8Array | Exclude<Interruption, { type: 'ping' | 'error' | 'comment' | 'bytes' }>;

/** What of a delivery concerns the bytes of an event. */
export type Framing = Pick<Delivery, 'lineEnd' | 'before' | 'hasNoFinalBlankLine'>;

/** How a format says that it is alive and that it failed, in the middle of a stream. */
export interface StreamSigns {
  /** Undefined where the format has no such event; a comment stands in. */
  readonly ping: SseEvent | undefined;
  readonly error: (error: Extract<Interruption, { type: 'error' }>) => SseEvent;
}

const COMMENT = 'keep-alive';

/**
 * Writes a stream as server-sent events, one run of bytes for each event.
 *
 * Lazy: an event is read from `items` when its bytes are asked for. An in-stream error is the last thing written.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function* encodeEvents(
  items: Iterable<StreamItem>,
  framing: Framing,
  signs: StreamSigns,
): Generator<BodyItem> {
  const lineEnd = framing.lineEnd ?? '\n';
  // Held back by one line end, because only the next event shows that an event was not the last.
  let owed = '';
  const send = (text: string): Uint8Array => {
    const bytes = Buffer.from(owed + text);
    owed = '';
    return bytes;
  };
  for (const item of items) {
    if (item.type === 'event' || item.type === 'ping' || item.type === 'error') {
      if (item.type === 'event' && framing.before === 'comment') yield send(`: ${COMMENT}${lineEnd}`);
      if (item.type === 'event' && framing.before === 'ping') yield send(signText(signs.ping, lineEnd));
      const event = item.type === 'event' ? item : item.type === 'ping' ? signs.ping : signs.error(item);
      yield send(signText(event, lineEnd, framing.hasNoFinalBlankLine === true));
      if (framing.hasNoFinalBlankLine) owed = lineEnd;
      if (item.type === 'error') return;
    } else if (item.type === 'comment') yield send(`: ${item.text}${lineEnd}`);
    else if (item.type === 'bytes') {
      if (owed) yield send('');
      yield Buffer.from(item.bytes as string);
    } else yield item;
  }
}

/** The lines of an event, or those of a comment where the format has no such event. */
function signText(event: SseEvent | undefined, lineEnd: string, isLeftOpen = false): string {
  const lines =
    event === undefined
      ? [`: ${COMMENT}`]
      : [...(event.event === undefined ? [] : [`event: ${event.event}`]), `data: ${event.data}`];
  return [...lines, ''].join(lineEnd) + (isLeftOpen ? '' : lineEnd);
}
