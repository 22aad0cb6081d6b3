/** Limits on a response's body. */
interface TextLimits {
  readonly maxBytes: number;
  /** The most values of a body that is JSON; any number if undefined. */
  readonly maxValues?: number;
}

/** Reads a body as text; undefined if it is too large, which ends its connection. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, maxValues }: TextLimits,
): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    // Leaving the loop destroys the body.
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const isTooRich = maxValues !== undefined && countJsonValues(bytes, maxValues) > maxValues;
  return isTooRich ? undefined : bytes.toString('utf8');
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * The values of a JSON text in UTF-8, as far as its commas and opening brackets tell; it stops behind `limit`. In a text that is not JSON, how far
 * parsing could come.
 */
export function countJsonValues(bytes: Uint8Array, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length && count <= limit; at++) {
    const byte = bytes[at]!;
    if (isInString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) count++;
  }
  return count;
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
