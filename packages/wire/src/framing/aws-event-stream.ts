import { crc32 } from 'node:zlib';
import { readFrameHeaders, writeFrameHeaders } from './frame-headers.ts';
import type { FrameDecoder, Framing } from './framing.ts';
import { HeldBytes } from './held-bytes.ts';
import type { StreamEvent, WireEvent } from './wire-event.ts';

/**
 * AWS event streams: binary frames with a prelude (two lengths and its checksum), headers, a payload, and a
 * checksum of the whole frame.
 *
 * An event's name is its type, its data the payload as text. An AWS exception or error is an event with
 * `isError`. The framing has no bytes between events, so comments are dropped. A frame with wrong lengths or
 * checksums ends the reading, because the start of the next frame is unknown.
 *
 * Source: https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html and
 * https://smithy.io/2.0/aws/amazon-eventstream.html.
 */
export const awsEventStream: Framing = {
  name: 'aws-event-stream',
  contentTypes: ['application/vnd.amazon.eventstream'],
  isStream: true,
  isText: false,
  createDecoder: (limitChars) => new FrameReader(limitChars),
  createEncoder: () => ({
    encode: (events) => Buffer.concat(events.map(toFrame)),
    end: () => EMPTY,
  }),
};

/** Two lengths of four bytes, and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** AWS's own limits. */
const MOST_FRAME_BYTES = 16 * 1024 * 1024;
const MOST_HEADER_BYTES = 128 * 1024;

const EMPTY = Buffer.alloc(0);

class FrameReader implements FrameDecoder {
  readonly #held: HeldBytes;
  isMalformed = false;

  constructor(limitBytes: number) {
    this.#held = new HeldBytes(limitBytes);
  }

  get isOverflown(): boolean {
    return this.#held.isOverflown;
  }

  push(bytes: Uint8Array): WireEvent[] {
    const events: WireEvent[] = [];
    if (this.isMalformed) return events;
    this.#held.hold(bytes);
    for (;;) {
      const frame = this.#takeFrame();
      if (frame === undefined) return events;
      const event = readFrame(frame);
      this.isMalformed = event === undefined;
      if (event === undefined) return events;
      events.push(event);
    }
  }

  /** Ignores an incomplete frame. */
  end(): WireEvent[] {
    return [];
  }

  #takeFrame(): Buffer | undefined {
    const prelude = this.#held.peek(PRELUDE_BYTES);
    if (prelude === undefined) return undefined;
    const length = frameLength(prelude);
    this.isMalformed = length === undefined;
    return length === undefined ? undefined : this.#held.take(length);
  }
}

/** Returns the length of the frame that begins with this prelude; undefined when the prelude is invalid. */
function frameLength(prelude: Buffer): number | undefined {
  const length = prelude.readUInt32BE(0);
  const headerLength = prelude.readUInt32BE(4);
  const isSound =
    length <= MOST_FRAME_BYTES &&
    headerLength <= MOST_HEADER_BYTES &&
    length >= PRELUDE_BYTES + headerLength + CHECKSUM_BYTES;
  return isSound && crc32(prelude.subarray(0, 8)) === prelude.readUInt32BE(8) ? length : undefined;
}

/** Reads a frame of the right length; undefined when its checksum or its headers are wrong. */
function readFrame(frame: Buffer): StreamEvent | undefined {
  const end = frame.length - CHECKSUM_BYTES;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) return undefined;
  const payloadAt = PRELUDE_BYTES + frame.readUInt32BE(4);
  const headers = readFrameHeaders(frame.subarray(PRELUDE_BYTES, payloadAt));
  if (headers === undefined) return undefined;
  const source = { framing: awsEventStream.name, text: '', bytes: frame };
  const data = frame.toString('utf8', payloadAt, end);
  switch (headers.get(':message-type')) {
    case 'exception':
      return { kind: 'event', name: headers.get(':exception-type'), data, isError: true, source };
    case 'error': {
      const message = data || JSON.stringify({ message: headers.get(':error-message') ?? '' });
      return { kind: 'event', name: headers.get(':error-code'), data: message, isError: true, source };
    }
    default:
      return { kind: 'event', name: headers.get(':event-type'), data, source };
  }
}

function toFrame(event: WireEvent): Uint8Array {
  if (event.kind === 'whole') return Buffer.from(event.text);
  if (event.source?.framing === awsEventStream.name) return event.source.bytes ?? EMPTY;
  return event.kind === 'event' ? writeFrame(event) : EMPTY;
}

function writeFrame({ name = '', data, isError }: StreamEvent): Buffer {
  const headers = writeFrameHeaders([
    [isError ? ':exception-type' : ':event-type', name],
    [':content-type', 'application/json'],
    [':message-type', isError ? 'exception' : 'event'],
  ]);
  const payload = Buffer.from(data);
  const length = PRELUDE_BYTES + headers.length + payload.length + CHECKSUM_BYTES;
  const frame = Buffer.alloc(length);
  frame.writeUInt32BE(length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, PRELUDE_BYTES);
  payload.copy(frame, PRELUDE_BYTES + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, length - CHECKSUM_BYTES)), length - CHECKSUM_BYTES);
  return frame;
}
