/**
 * Reads the text headers of an AWS event stream frame, by name; undefined when the bytes are not headers.
 * Values of other types are skipped.
 *
 * A header is the length of its name in one byte, the name, a type in one byte, and a value. The type
 * determines the value's length, or two bytes give it.
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

/** Returns headers with text values as bytes. Names and values are short. */
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
