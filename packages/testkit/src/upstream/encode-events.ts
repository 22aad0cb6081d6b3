import type { Delivery } from './delivery.ts';
import type { Interruption } from './interruption.ts';
import type { SseEvent, StreamItem } from './stream-item.ts';

/** Bytes to send, or something that happens before more bytes are sent. */
export type BodyItem = Uint8Array | Extract<Interruption, { type: 'wait' | 'end' | 'destroy' }>;

/** What of a delivery concerns the bytes of an event. */
export type Framing = Pick<Delivery, 'lineEnd' | 'before' | 'hasNoFinalBlankLine'>;

/** How a format says that it is alive and that it failed, in the middle of a stream. */
export interface StreamSigns {
  /** Undefined where the format has no such event; a comment stands in. */
  readonly ping: SseEvent | undefined;
  readonly error: (error: Extract<Interruption, { type: 'error' }>) => SseEvent;
}

const COMMENT = ': keep-alive';

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
  const lines = (all: readonly string[]): string => all.map((line) => line + lineEnd).join('');
  const linesBefore = framing.before === 'ping' ? [...linesOf(signs.ping), ''] : [COMMENT];
  const lifeSign = framing.before === undefined ? undefined : Buffer.from(lines(linesBefore));

  // Where the last blank line is to be missing, each one waits until something follows it.
  let owed = '';
  for (const item of items) {
    if (item.type === 'wait' || item.type === 'end' || item.type === 'destroy') {
      yield item;
      continue;
    }
    if (owed !== '') yield Buffer.from(owed);
    owed = '';
    if (item.type === 'event' && lifeSign !== undefined) yield lifeSign;
    if (item.type === 'comment') yield Buffer.from(lines([`: ${item.text}`]));
    else if (item.type === 'bytes') yield Buffer.from(item.bytes as string);
    else {
      const event = lines(linesOf(eventOf(item, signs)));
      owed = framing.hasNoFinalBlankLine ? lineEnd : '';
      yield Buffer.from(owed === '' ? event + lineEnd : event);
    }
    if (item.type === 'error') return;
  }
}

function eventOf(
  item: Extract<StreamItem, { type: 'event' | 'ping' | 'error' }>,
  signs: StreamSigns,
): SseEvent | undefined {
  switch (item.type) {
    case 'event':
      return item;
    case 'ping':
      return signs.ping;
    case 'error':
      return signs.error(item);
  }
}

/** The lines of an event without the blank one, or a comment where the format has no such event. */
function linesOf(event: SseEvent | undefined): string[] {
  if (event === undefined) return [COMMENT];
  return [...(event.event === undefined ? [] : [`event: ${event.event}`]), `data: ${event.data}`];
}
