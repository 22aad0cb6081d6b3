import { type ReadEvent, readEvent } from '../joining/read-event.ts';
import { memberOf, memberTexts, withMembers } from '../json/json-members.ts';
import { isJsonObject, memberSpan, setMember, splice, valueStart } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/**
 * Returns the events that would stream a whole response, each block complete in its start.
 *
 * Undefined when the text is not a message. An error body is one `error` event.
 */
export function eventsOfWhole(text: string): ReadEvent[] | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body)) return undefined;
  if (body.type === 'error') return [{ type: 'error', data: text, body }];
  if (body.type !== 'message' || !Array.isArray(body.content)) return undefined;
  const blocks = memberTexts(text, 'content');
  const message = withMembers(text, { content: '[]' });
  const end = { stop_reason: body.stop_reason ?? null, stop_sequence: body.stop_sequence ?? null };
  const parts = [
    `{"type":"message_start","message":${message}}`,
    ...blocks.flatMap((block, index) => [
      `{"type":"content_block_start","index":${index},"content_block":${block}}`,
      `{"type":"content_block_stop","index":${index}}`,
    ]),
    JSON.stringify({ type: 'message_delta', delta: end, usage: {} }),
    '{"type":"message_stop"}',
  ];
  return parts.flatMap((part) => readEvent(part) ?? []);
}

/**
 * Returns the events of a message that is complete in its start, except the end of the stream, which the
 * provider sends; undefined for any other event. The provider sends such a start for a program that continues
 * without the model after a result.
 */
export function eventsOfWholeStart({ type, data, body }: ReadEvent): ReadEvent[] | undefined {
  const { message } = body;
  const isWhole = type === 'message_start' && isJsonObject(message) && Array.isArray(message.content);
  if (!isWhole || (message.content as readonly unknown[]).length === 0) return undefined;
  return eventsOfWhole(memberOf(data, 'message')!)?.slice(0, -1);
}

/**
 * Returns the event, and adds an id if a call begins in it without one. The client and the provider see the
 * same id; it differs between messages.
 */
export function withCallId(event: ReadEvent, message: string | undefined): ReadEvent {
  const { type, data, body } = event;
  const block = body.content_block;
  if (type !== 'content_block_start' || !isJsonObject(block) || block.type !== 'tool_use' || block.id)
    return event;
  const messageId = memberOf(message ?? '{}', 'id') ?? '';
  // The provider rejects ids with other characters when they return.
  const id = JSON.stringify(`toolu_${messageId}_${body.index}`.replaceAll(/[^\w-]/g, ''));
  const span = memberSpan(data, valueStart(data), 'content_block')!;
  return readEvent(splice(data, [setMember(data, span, 'id', id)])) ?? event;
}
