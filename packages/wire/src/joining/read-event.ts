import { eventText, type StreamEvent, type WholeBody } from '../framing/framing.ts';
import { parseObject } from '../json/json-members.ts';
import type { JsonObject } from '../json/json-value.ts';

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

const parsed = new WeakMap<StreamEvent | WholeBody, JsonObject | undefined>();

/** Parses an event's data as a JSON object, unless `readDataFirst` has; undefined for other data. */
export function readData(event: StreamEvent): JsonObject | undefined {
  return parsed.get(event) ?? parseObject(event.data);
}

/** Parses an event's data like `readData`, or a whole body, and keeps the result for its next reader. */
export function readDataFirst(event: StreamEvent | WholeBody): JsonObject | undefined {
  const known = parsed.get(event);
  if (known !== undefined) return known;
  const read = parseObject(eventText(event));
  parsed.set(event, read);
  return read;
}
