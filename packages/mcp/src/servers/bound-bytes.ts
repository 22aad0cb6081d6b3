import { LIMITS_TEXT, MESSAGE_LIMITS } from './message-limits.ts';
import { ValueCounter } from './value-counter.ts';

class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly code = 'ETOOLARGE';
}

/**
 * Passes bytes on, and fails when more comes than may, before it is parsed: bytes and values, in a stream of events of
 * each event, and messages of the whole stream.
 */
export function boundBytes(
  isStream: boolean,
  maxMessages: number = MESSAGE_LIMITS.messages,
): TransformStream<Uint8Array, Uint8Array> {
  const values = new ValueCounter();
  let bytes = 0;
  let messages = 0;
  let tail = '';
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      let begun = chunk;
      if (isStream) {
        const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
        const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
        if (end >= 0) {
          bytes = text.length - end;
          values.begin();
          begun = chunk.subarray(Math.max(0, end - tail.length));
        }
        messages += text.match(DATA_LINE)?.length ?? 0;
        // An event may end between two chunks.
        tail = text.slice(-2);
      }
      values.read(begun);
      if (bytes > MESSAGE_LIMITS.bytes || values.count > MESSAGE_LIMITS.values || messages > maxMessages)
        controller.error(new ResponseTooLarge(`The response is ${LIMITS_TEXT}.`));
      else controller.enqueue(chunk);
    },
  });
}

/** A line of data, unless a piece of the stream ends within its name. */
const DATA_LINE = /[\r\n]data/g;
