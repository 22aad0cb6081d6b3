import type { Delivery } from './delivery.ts';
import type { Interruption } from './interruption.ts';
import type { SseEvent, StreamItem } from './stream-item.ts';

/** Bytes to send, or an interruption between them. */
export type BodyItem = Uint8Array | Extract<Interruption, { type: 'wait' | 'end' | 'destroy' }>;

/** The part of a delivery that concerns the bytes of an event. */
export type Framing = Pick<Delivery, 'lineEnd' | 'before' | 'hasNoFinalBlankLine'>;

/** The format's events for keep-alives and in-stream errors. */
export interface StreamSigns {
  /** Undefined if the format has no such event; a comment replaces it. */
  readonly ping: SseEvent | undefined;
  readonly error: (error: Extract<Interruption, { type: 'error' }>) => SseEvent;
}

const COMMENT = ': keep-alive';

/**
 * Writes a stream as server-sent events, one run of bytes for each event.
 *
 * Lazy: reads an event from `items` when its bytes are requested. An in-stream error ends the output. Source:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
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

  // To omit the last blank line, each one waits for the next event.
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

/** The lines of an event without the blank one, or a comment if the format has no such event. */
function linesOf(event: SseEvent | undefined): string[] {
  if (event === undefined) return [COMMENT];
  return [...(event.event === undefined ? [] : [`event: ${event.event}`]), `data: ${event.data}`];
}
