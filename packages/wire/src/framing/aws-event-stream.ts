import { crc32 } from 'node:zlib';
import type { FrameDecoder, Framing, StreamEvent, WireEvent } from './framing.ts';

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

/**
 * Reads the text headers of an AWS event stream frame, by name; undefined when the bytes are not headers.
 * Values of other types are skipped.
 *
 * A header is the length of its name in one byte, the name, a type in one byte, and a value. The type
 * determines the value's length, or two bytes give it.
 */
function readFrameHeaders(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes[at]!;
    const type = bytes[nameEnd];
    if (nameEnd === at + 1 || type === undefined) return undefined;
    const value = valueAt(bytes, nameEnd + 1, type);
    if (value === undefined || value.end > bytes.length) return undefined;
    if (type === TEXT)
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', value.start, value.end));
    at = value.end;
  }
  return headers;
}

/** Returns headers with text values as bytes. Names and values are short. */
function writeFrameHeaders(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => {
      const text = Buffer.from(value);
      const length = Buffer.from([text.length >> 8, text.length & 0xff]);
      return [Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([TEXT]), length, text];
    }),
  );
}

const TEXT = 7;

/**
 * The length in bytes of each type of value: true, false, integers of 1 to 8 bytes, bytes, text, a time, a
 * UUID.
 */
const BYTES_OF_TYPE: readonly (number | 'counted')[] = [0, 0, 1, 2, 4, 8, 'counted', 'counted', 8, 16];

function valueAt(
  bytes: Buffer,
  start: number,
  type: number,
): { readonly start: number; readonly end: number } | undefined {
  const length = BYTES_OF_TYPE[type];
  if (length !== 'counted') return length === undefined ? undefined : { start, end: start + length };
  if (start + 2 > bytes.length) return undefined;
  return { start: start + 2, end: start + 2 + bytes.readUInt16BE(start) };
}

/** The bytes of an unfinished frame, in the pieces in which they arrived. At most `limitBytes`. */
class HeldBytes {
  /** Whether an unfinished frame exceeded the limit; its bytes are dropped. */
  isOverflown = false;
  readonly #limitBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Holds more bytes. Take complete frames before the next piece: all held bytes count against the limit. */
  hold(bytes: Uint8Array): void {
    if (this.isOverflown || bytes.length === 0) return;
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#length += bytes.length;
  }

  /** Returns the first bytes, which stay held; undefined while there are too few. */
  peek(length: number): Buffer | undefined {
    if (this.isOverflown || this.#length < length) return undefined;
    if (this.#pieces[0]!.length < length) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!.subarray(0, length);
  }

  /** Removes and returns the first bytes; undefined while there are too few. */
  take(length: number): Buffer | undefined {
    if (this.isOverflown) return undefined;
    if (this.#length < length) {
      this.isOverflown = this.#length > this.#limitBytes;
      if (this.isOverflown) this.#pieces = [];
      return undefined;
    }
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = whole.length === length ? [] : [whole.subarray(length)];
    this.#length -= length;
    return whole.subarray(0, length);
  }
}
