import type { StreamEvent } from '../../framing/wire-event.ts';
import { isReadable } from '../../json/has-many-values.ts';
import { isJsonObject } from '../../json/json-splice.ts';
import { parseJson } from '../../json/parse-json.ts';

/** An event of Messages as it stands in a frame of the service's: as base64 in a JSON object. */
export function toChunk(data: string): StreamEvent {
  return {
    kind: 'event',
    name: 'chunk',
    data: JSON.stringify({ bytes: Buffer.from(data).toString('base64') }),
  };
}

/** The event of Messages in a frame; undefined for a frame that holds none, or one that takes too much to be read. */
export function fromChunk(frame: StreamEvent): StreamEvent | undefined {
  const data = textOfChunk(frame);
  if (data === undefined || !isReadable(data)) return undefined;
  return { kind: 'event', name: 'chunk', data, source: frame.source };
}

/** What a frame holds, whatever it is; undefined for one that has no bytes. */
export function textOfChunk({ data }: StreamEvent): string | undefined {
  const chunk = parseJson(data);
  const bytes = isJsonObject(chunk) ? chunk.bytes : undefined;
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : undefined;
}
