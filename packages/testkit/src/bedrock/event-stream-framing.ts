import { crc32 } from 'node:zlib';
import type { BodyItem, StreamSigns } from '../upstream/encode-events.ts';
import type { StreamFraming } from '../upstream/stream-framing.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';

/** Returns the payload of an event. An event without a name is an exception; its data name it. */
export interface FrameWriter {
  readonly kindOf: (event: SseEvent) => string;
  readonly payloadOf: (event: SseEvent) => string;
}

/**
 * Writes a binary frame for each event. The framing has no comments, and keep-alives only if the format has
 * an event for them.
 */
export function eventStreamFraming(writer: FrameWriter): StreamFraming {
  return {
    contentType: 'application/vnd.amazon.eventstream',
    encode: (items, _, signs) => encodeFrames(items, signs, writer),
  };
}

/** In the data of an in-stream error, the exception's name precedes its body. */
export function exceptionData(type: string, message: string): string {
  return JSON.stringify({ type, message });
}

function* encodeFrames(
  items: Iterable<StreamItem>,
  signs: StreamSigns,
  { kindOf, payloadOf }: FrameWriter,
): Generator<BodyItem> {
  for (const item of items) {
    switch (item.type) {
      case 'wait':
      case 'end':
      case 'destroy':
        yield item;
        break;
      case 'comment':
        break;
      case 'bytes':
        yield Buffer.from(item.bytes as string);
        break;
      case 'error': {
        const { type, message } = JSON.parse(signs.error(item).data) as { type: string; message: string };
        yield frame({ ':message-type': 'exception', ':exception-type': type }, JSON.stringify({ message }));
        return;
      }
      default: {
        const event = item.type === 'ping' ? signs.ping : item;
        if (event !== undefined)
          yield frame({ ':message-type': 'event', ':event-type': kindOf(event) }, payloadOf(event));
      }
    }
  }
}

/** Writes one frame with these headers. Source: https://smithy.io/2.0/aws/amazon-eventstream.html */
export function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const written = Object.entries({ ...headers, ':content-type': 'application/json' }).map(([name, value]) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7]),
      length,
      Buffer.from(value),
    ]);
  });
  const head = Buffer.concat(written);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + Buffer.byteLength(payload), 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), head, Buffer.from(payload)]);
  return Buffer.concat([message, checksum(message)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
