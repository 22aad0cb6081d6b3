import { parseJson } from '@winnow/text';
import type { StreamEvent } from '../framing/wire-event.ts';
import {
  isJsonObject,
  memberSpan,
  setMember,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '../json/json-splice.ts';
import type { ResponseEvent } from './response-events.ts';

/** An event's data with another `index`: that of its block in the client's message. */
export function withPlace({ data, body }: ResponseEvent, place: number): string {
  if (body.index === place) return data;
  return splice(data, [setMember(data, valueSpan(data), 'index', String(place))]);
}

/** A block's start with an empty input, which is then to be sent as a delta. */
export function withEmptyInput(data: string): string {
  const block = memberSpan(data, valueStart(data), 'content_block');
  const input = block && memberSpan(data, block.start, 'input');
  if (input === undefined || !isFilledObject(textOf(data, input))) return data;
  return splice(data, [{ ...input, text: '{}' }]);
}

/** The event by which a block gets all of its input, given as JSON. */
export function inputDelta(place: number, input: string): StreamEvent {
  const delta = { type: 'input_json_delta', partial_json: input };
  const data = JSON.stringify({ type: 'content_block_delta', index: place, delta });
  return { kind: 'event', name: 'content_block_delta', data };
}

/** True for the JSON of an object that has members. */
export function isFilledObject(text: string): boolean {
  if (!text.startsWith('{') || text === '{}') return false;
  const value = parseJson(text);
  return isJsonObject(value) && Object.keys(value).length > 0;
}
