/**
 * The text headers of a frame of AWS's event streams, by name; undefined when the bytes are no headers. Values of other types are passed over.
 *
 * A header is its name behind a byte of its length, a byte of its type, and its value, whose length the type tells or two bytes say.
 */
export function readFrameHeaders(bytes: Buffer): ReadonlyMap<string, string> | undefined {
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

/** Headers with texts as values, as bytes. Names and values are short. */
export function writeFrameHeaders(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => {
      const text = Buffer.from(value);
      const length = Buffer.from([text.length >> 8, text.length & 0xff]);
      return [Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([TEXT]), length, text];
    }),
  );
}

const TEXT = 7;

/** How many bytes the values of each type have: true, false, numbers of 1 to 8 bytes, bytes, text, a time, a UUID. */
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
