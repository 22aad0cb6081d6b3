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

/** Returns an event's data with the `index` that its block has in the client's message. */
export function withPlace({ data, body }: ResponseEvent, place: number): string {
  if (body.index === place) return data;
  return splice(data, [setMember(data, valueSpan(data), 'index', String(place))]);
}

/** Returns a block's start with an empty input; the caller sends the input as a delta. */
export function withEmptyInput(data: string): string {
  const block = memberSpan(data, valueStart(data), 'content_block');
  const input = block && memberSpan(data, block.start, 'input');
  if (input === undefined || !isFilledObject(textOf(data, input))) return data;
  return splice(data, [{ ...input, text: '{}' }]);
}

/** Returns the event that delivers a block's whole input, given as JSON. */
export function inputDelta(place: number, input: string): StreamEvent {
  const delta = { type: 'input_json_delta', partial_json: input };
  const data = JSON.stringify({ type: 'content_block_delta', index: place, delta });
  return { kind: 'event', name: 'content_block_delta', data };
}

/** Whether a text is the JSON of an object with members. */
export function isFilledObject(text: string): boolean {
  if (!text.startsWith('{') || text === '{}') return false;
  const value = parseJson(text);
  return isJsonObject(value) && Object.keys(value).length > 0;
}
