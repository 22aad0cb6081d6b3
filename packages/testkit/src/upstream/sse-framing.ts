import { encodeEvents } from './encode-events.ts';
import type { StreamFraming } from './stream-framing.ts';

/** Server-sent events. */
export const SSE_FRAMING: StreamFraming = {
  contentType: 'text/event-stream; charset=utf-8',
  encode: encodeEvents,
};
