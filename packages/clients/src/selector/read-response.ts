import { parseJson, readText } from '@winnow/core';
import type { HttpPool } from '@winnow/service';

export interface SelectorResponse {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** Maximum size of a response, in bytes; it is only a list of names. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Reads a whole response. Rejects if the body is too large or breaks off. */
export async function readResponse({
  statusCode,
  body,
}: Awaited<ReturnType<HttpPool['request']>>): Promise<SelectorResponse> {
  const text = await readText(body, { maxBytes: MAX_BODY_BYTES });
  if (text === undefined) throw new RangeError('the response is too large');
  return { status: statusCode, body: parseJson(text) };
}
