import { eventText, type StreamEvent, type WholeBody } from '../framing/wire-event.ts';
import { parseObject } from '../json/json-members.ts';
import type { JsonObject } from '../json/json-splice.ts';

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
