/** The start of every HTTP/2 connection. Source: https://www.rfc-editor.org/rfc/rfc9113#section-3.4 */
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

/** Frame flags, for the types that have them. */
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

export interface FrameParts {
  readonly type: number;
  readonly flags?: number;
  /** The stream's id; default 0, the connection itself. */
  readonly stream?: number;
  readonly payload?: Uint8Array;
  /** The length field, if it differs from the payload's length. */
  readonly length?: number;
}

const HEADER_BYTES = 9;

/** Writes a frame, whether or not the protocol allows it. */
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

/** Writes a number of four bytes. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Writes one setting of a connection. */
export function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([id >> 8, id & 0xff]), uint32(value)]);
}

/**
 * Writes a header block with no indexing or compression. Source:
 * https://www.rfc-editor.org/rfc/rfc7541#section-6.2.2
 */
export function literalFields(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), ...literal(name), ...literal(value)]),
  );
}

/** Writes a field that the server must store as the first of its table. */
export function rememberedField(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), ...literal(name), ...literal(value)]);
}

/** Refers to the first field of the server's table. */
export const FIRST_REMEMBERED = Buffer.from([0x80 | 62]);

function literal(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  return [prefixed(bytes.length), bytes];
}

/** Writes a number with a prefix of seven bits. */
function prefixed(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  for (let left = value - 127; ; left >>= 7) {
    bytes.push(left >= 128 ? (left & 127) | 128 : left);
    if (left < 128) return Buffer.from(bytes);
  }
}
