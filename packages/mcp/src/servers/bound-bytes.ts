import { LIMITS_TEXT, MESSAGE_LIMITS } from './message-limits.ts';

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

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** Counts the values of a JSON text while it comes, in UTF-8 and however it is cut, as `countJsonValues` does with a whole one. */
export class ValueCounter {
  #count = 0;
  #isInString = false;
  #isEscaped = false;

  /** Estimated from commas and opening brackets. */
  get count(): number {
    return this.#count;
  }

  /** Another text follows. */
  begin(): void {
    this.#count = 0;
    this.#isInString = false;
    this.#isEscaped = false;
  }

  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
      } else if (byte === QUOTE) this.#isInString = true;
      else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#count++;
    }
  }
}
