import type { Delivery } from './delivery.ts';
import type { BodyItem, StreamSigns } from './encode-events.ts';
import type { StreamItem } from './stream-item.ts';

/** The encoding of a format's stream events as bytes. */
export interface StreamFraming {
  readonly contentType: string;
  /** Lazy: reads an event from `items` when its bytes are requested. */
  encode(items: Iterable<StreamItem>, delivery: Delivery, signs: StreamSigns): Iterable<BodyItem>;
}
