/** How every connection of HTTP/2 begins. Source: https://www.rfc-editor.org/rfc/rfc9113#section-3.4 */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Types of frames. Source: https://www.rfc-editor.org/rfc/rfc9113#section-6 */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames, of those kinds that have them. */
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** What a frame is made of. */
export interface FrameParts {
  readonly type: number;
  readonly flags?: number;
  /** 0, the connection itself, by default. */
  readonly stream?: number;
  readonly payload?: Uint8Array;
  /** The length that is written, where it is not that of the payload. */
  readonly length?: number;
}

const HEADER_BYTES = 9;

/** A frame, whether or not it is one that a server may be sent. */
export function frame({
  type,
  flags = 0,
  stream = 0,
  payload = Buffer.alloc(0),
  length,
}: FrameParts): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(length ?? payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** A number of four bytes. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** One setting of a connection. */
export function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([id >> 8, id & 0xff]), uint32(value)]);
}

/** A head as its bytes, nothing of it indexed or packed. Source: https://www.rfc-editor.org/rfc/rfc7541#section-6.2.2 */
export function literalFields(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), ...literal(name), ...literal(value)]),
  );
}

/** A field that the server is to remember, as the first of its table. */
export function rememberedField(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), ...literal(name), ...literal(value)]);
}

/** The first field of the server's table once more. */
export const FIRST_REMEMBERED = Buffer.from([0x80 | 62]);

function literal(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  return [prefixed(bytes.length), bytes];
}

/** A number behind a prefix of seven bits. */
function prefixed(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  for (let left = value - 127; ; left >>= 7) {
    bytes.push(left >= 128 ? (left & 127) | 128 : left);
    if (left < 128) return Buffer.from(bytes);
  }
}
