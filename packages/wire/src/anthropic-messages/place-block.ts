import type { StreamEvent } from '../framing/wire-event.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { memberOf, parseObject, withMember, withMembers } from '../json/json-members.ts';
import type { RoundBlock } from './round-reader.ts';

/** Returns an event's data with the `index` that its block has in the client's message. */
export function withPlace({ data, body }: ReadEvent, place: number): string {
  return body.index === place ? data : withMembers(data, { index: String(place) });
}

/** Returns a block's start with an empty input; the caller sends the input as a delta. */
export function withEmptyInput(data: string): string {
  return withMember(data, 'content_block', (block) =>
    isFilledObject(memberOf(block, 'input') ?? '') ? withMembers(block, { input: '{}' }) : block,
  );
}

/** Returns arguments that arrived whole as a delta: one client library reads them only from deltas. */
export function missingInput({ assembler }: RoundBlock, place: number): StreamEvent[] {
  const input = assembler.hasInputDelta ? '' : assembler.input();
  if (!isFilledObject(input)) return [];
  const delta = { type: 'input_json_delta', partial_json: input };
  const data = JSON.stringify({ type: 'content_block_delta', index: place, delta });
  return [{ kind: 'event', name: 'content_block_delta', data }];
}

/** Whether a text is the JSON of an object with members. */
function isFilledObject(text: string): boolean {
  return text.startsWith('{') && Object.keys(parseObject(text) ?? {}).length > 0;
}
