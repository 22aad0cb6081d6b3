import type { Delivery } from './delivery.ts';
import type { BodyItem, StreamSigns } from './encode-events.ts';
import type { StreamFraming } from './stream-framing.ts';
import type { StreamItem } from './stream-item.ts';

/** Writes a line of JSON for each event. */
export const NDJSON_FRAMING: StreamFraming = {
  contentType: 'application/x-ndjson',
  encode: encodeLines,
};

/** Lazy; an in-stream error ends the output. There are no comments and no keep-alives. */
function* encodeLines(
  items: Iterable<StreamItem>,
  { hasNoFinalBlankLine }: Delivery,
  signs: StreamSigns,
): Generator<BodyItem> {
  let owed = '';
  for (const item of items) {
    switch (item.type) {
      case 'wait':
      case 'end':
      case 'destroy':
        yield item;
        break;
      case 'comment':
      case 'ping':
        break;
      case 'bytes':
        yield Buffer.from(item.bytes as string);
        break;
      default: {
        const { data } = item.type === 'error' ? signs.error(item) : item;
        yield Buffer.from(`${owed}${data}${hasNoFinalBlankLine ? '' : '\n'}`);
        owed = hasNoFinalBlankLine ? '\n' : '';
        if (item.type === 'error') return;
      }
    }
  }
}
