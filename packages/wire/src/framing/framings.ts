import { awsEventStream } from './aws-event-stream.ts';
import type { Framing } from './framing.ts';
import { json } from './json.ts';
import { jsonArray } from './json-array.ts';
import { ndjson } from './ndjson.ts';
import { sse } from './sse.ts';

/** Every framing of bodies. */
const FRAMINGS: readonly Framing[] = [sse, ndjson, jsonArray, awsEventStream, json];

const BY_CONTENT_TYPE: ReadonlyMap<string, Framing> = new Map(
  FRAMINGS.flatMap((framing) => framing.contentTypes.map((contentType) => [contentType, framing])),
);

/**
 * Returns the framing of a body with this content type, ignoring its parameters; `json` for an unknown type,
 * which is read in one piece.
 */
export function framingOf(contentType: string | undefined): Framing {
  const [type = ''] = (contentType ?? '').split(';', 1);
  return BY_CONTENT_TYPE.get(type.trim().toLowerCase()) ?? json;
}
