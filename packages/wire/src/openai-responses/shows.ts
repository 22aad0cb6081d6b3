import { saysNothing } from '../joining/envelope-state.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { isJsonObject } from '../json/json-splice.ts';

/** Types of events that only close earlier ones. */
const CLOSING = /\.done$/;

/** Whether the client sees content in an event between start and end. An unknown event may show anything. */
export function shows({ type, body }: ReadEvent, isOfItem: boolean): boolean {
  if (type === 'keepalive') return false;
  if (typeof body.delta === 'string') return body.delta !== '';
  if (isJsonObject(body.item)) return !saysNothing(body.item, QUIET);
  if (isJsonObject(body.part)) return Boolean(body.part.text);
  return !isOfItem || !CLOSING.test(type);
}

/** Types of items without content at their start: messages, and reasoning that the client does not see. */
const QUIET: ReadonlySet<unknown> = new Set(['message', 'reasoning']);
