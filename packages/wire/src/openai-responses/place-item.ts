import type { EventPlace } from '../joining/envelope-reducer.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { withMember, withoutMembers } from '../json/json-members.ts';
import { type Edit, isJsonObject, memberSpan, splice, valueStart } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { elementTexts } from '../turns/runs.ts';

/** Returns an event's data with other numbers, if it has numbers. */
export function withPlace({ data, body }: ReadEvent, { sequence, index }: EventPlace): string {
  const edits: Edit[] = [];
  const set = (key: string, value: number) => {
    const span = memberSpan(data, valueStart(data), key);
    if (span !== undefined && body[key] !== value) edits.push({ ...span, text: String(value) });
  };
  set('sequence_number', sequence);
  if (index !== undefined) set('output_index', index);
  return edits.length === 0 ? data : splice(data, edits);
}

/**
 * Returns an item, given as JSON, with its function as the client declared it. A function that was loaded on
 * its own is called in a namespace of its own name. The client never declared that namespace, and agents
 * reject it.
 */
export function asDeclared(item: string, read: unknown, isLone: (name: string) => boolean): string {
  if (!isJsonObject(read) || read.type !== 'function_call') return item;
  const { name, namespace } = read;
  const isMadeUp = typeof name === 'string' && namespace === name && isLone(name);
  return isMadeUp ? withoutMembers(item, ['namespace']) : item;
}

/** Returns an event's data with its item as the client declared it. */
export function withDeclaredItem(data: string, item: unknown, isLone: (name: string) => boolean): string {
  return withMember(data, 'item', (text) => asDeclared(text, item, isLone));
}

/** Returns a response, given as JSON, with its items as the client declared them. */
export function withDeclaredOutput(response: string, isLone: (name: string) => boolean): string {
  if (!response.includes('"namespace"')) return response;
  return withMember(response, 'output', (output) => {
    const items = elementTexts(output);
    const known = items.map((item) => asDeclared(item, parseJson(item), isLone));
    return known.every((item, at) => item === items[at]) ? output : `[${known.join(',')}]`;
  });
}
