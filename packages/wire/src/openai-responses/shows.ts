import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import type { ResponseEvent } from './response-events.ts';
import type { RoundItem } from './round-reader.ts';

/** Events that close what others have said. */
const CLOSING = /\.done$/;

/** Whether the client sees anything of an event that is no start or end of a response. An event that nobody knows may show anything. */
export function shows({ type, body }: ResponseEvent, item: RoundItem | undefined): boolean {
  if (type === 'keepalive') return false;
  if (typeof body.delta === 'string') return body.delta !== '';
  if (isJsonObject(body.item)) return !isQuiet(body.item);
  if (isJsonObject(body.part)) return Boolean(body.part.text);
  return item === undefined || !CLOSING.test(type);
}

/** Items whose words follow: the start of a message, and reasoning of which the client sees nothing. */
function isQuiet({ type, content, summary }: JsonObject): boolean {
  return (type === 'message' || type === 'reasoning') && isEmpty(content) && isEmpty(summary);
}

function isEmpty(list: unknown): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.length === 0);
}
