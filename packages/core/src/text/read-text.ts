import { countJsonValues } from './count-json-values.ts';

/** Limits on a response's body. */
export interface TextLimits {
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
