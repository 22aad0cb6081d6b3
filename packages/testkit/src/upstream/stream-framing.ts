import type { Delivery } from './delivery.ts';
import type { BodyItem, StreamSigns } from './encode-events.ts';
import type { StreamItem } from './stream-item.ts';

/** How the events of a format's streams become bytes. */
export interface StreamFraming {
  readonly contentType: string;
  /** Lazy: an event is read from `items` when its bytes are asked for. */
  encode(items: Iterable<StreamItem>, delivery: Delivery, signs: StreamSigns): Iterable<BodyItem>;
}
