import { parseObject } from '../json/json-members.ts';
import type { JsonObject } from '../json/json-splice.ts';

/** An event of a stream: its data as JSON and parsed. */
export interface ReadEvent {
  readonly type: string;
  readonly data: string;
  readonly body: JsonObject;
}

/**
 * Reads the data of an event whose type is in the member `key`; undefined for any other data. `body` is the
 * parsed data.
 */
export function readEvent(data: string, key = 'type', body = parseObject(data)): ReadEvent | undefined {
  const type = body?.[key];
  return body !== undefined && typeof type === 'string' ? { type, data, body } : undefined;
}
