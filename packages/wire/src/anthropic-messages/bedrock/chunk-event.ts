import type { StreamEvent } from '../../framing/wire-event.ts';
import { isReadable } from '../../json/has-many-values.ts';
import { isJsonObject } from '../../json/json-splice.ts';
import { parseJson } from '../../json/parse-json.ts';
import { rememberBy } from '../../remember-by.ts';

/** Wraps an event of the Messages API in a frame of this service: base64 in a JSON object. */
export function toChunk(data: string): StreamEvent {
  return {
    kind: 'event',
    name: 'chunk',
    data: JSON.stringify({ bytes: Buffer.from(data).toString('base64') }),
  };
}

/**
 * Returns the Messages event in a frame; undefined for a frame without one, or with one that is too large to
 * read.
 */
export const fromChunk = rememberBy((frame: StreamEvent): StreamEvent | undefined => {
  const data = textOfChunk(frame);
  if (data === undefined || !isReadable(data)) return undefined;
  return { kind: 'event', name: 'chunk', data, source: frame.source };
});

/** Returns the text in a frame; undefined for a frame without bytes. */
export function textOfChunk({ data }: StreamEvent): string | undefined {
  const chunk = parseJson(data);
  const bytes = isJsonObject(chunk) ? chunk.bytes : undefined;
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : undefined;
}
