import type { BodyItem, StreamSigns } from '../upstream/encode-events.ts';
import { SSE_FRAMING } from '../upstream/sse-framing.ts';
import type { StreamFraming } from '../upstream/stream-framing.ts';
import type { StreamItem } from '../upstream/stream-item.ts';

/** Server-sent events with CRLF line ends, as this service writes them. */
export const GEMINI_SSE: StreamFraming = {
  contentType: 'text/event-stream',
  encode: (items, delivery, signs) => SSE_FRAMING.encode(items, { lineEnd: '\r\n', ...delivery }, signs),
};

/**
 * One JSON array that is sent element by element, with the content type of a whole response. It has no
 * keep-alives.
 */
export const GEMINI_ARRAY: StreamFraming = {
  contentType: 'application/json; charset=UTF-8',
  encode: (items, _, signs) => encodeArray(items, signs),
};

function* encodeArray(items: Iterable<StreamItem>, signs: StreamSigns): Generator<BodyItem> {
  let lead = '[';
  for (const item of items) {
    if (item.type === 'wait' || item.type === 'end' || item.type === 'destroy') yield item;
    else if (item.type === 'bytes') yield Buffer.from(item.bytes as string);
    else if (item.type === 'event' || item.type === 'error') {
      const { data } = item.type === 'event' ? item : signs.error(item);
      yield Buffer.from(`${lead}${data}`);
      lead = ',\r\n';
    }
    if (item.type === 'error') break;
  }
  yield Buffer.from(lead === '[' ? '[]' : '\r\n]');
}
