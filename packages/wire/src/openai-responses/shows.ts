import { type ReadEvent, saysNothing } from '../joining/envelope-state.ts';
import { isJsonObject } from '../json/json-splice.ts';

/** Types of events that only close earlier ones. */
const CLOSING = /\.done$/;

/** Whether the client sees anything of an event between the start and the end of a response. An unknown event may show anything. */
export function shows({ type, body }: ReadEvent, isOfItem: boolean): boolean {
  if (type === 'keepalive') return false;
  if (typeof body.delta === 'string') return body.delta !== '';
  if (isJsonObject(body.item)) return !saysNothing(body.item, QUIET);
  if (isJsonObject(body.part)) return Boolean(body.part.text);
  return !isOfItem || !CLOSING.test(type);
}

/** Types of items whose words follow: messages, and reasoning that the client does not see. */
const QUIET: ReadonlySet<unknown> = new Set(['message', 'reasoning']);
