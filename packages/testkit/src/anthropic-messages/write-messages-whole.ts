import type { CompleteAnswer } from '../upstream/complete-answer.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { textOf } from '../upstream/read-pieces.ts';
import { messagesStopReason } from './messages-stop-reason.ts';
import { messagesUsage } from './messages-usage.ts';
import { blockParts, createBlockWriter, omitsThinking } from './write-messages-blocks.ts';

/** Writes a message as Anthropic returns it without streaming. */
export function writeMessagesWhole(answer: CompleteAnswer, body: JsonObject): JsonObject {
  const writer = createBlockWriter(body);
  const content = blockParts(answer).map((part) => {
    const isEmpty = part.type === 'block' || (part.type === 'thinking' && omitsThinking(body));
    return writer.finish(part, isEmpty ? '' : textOf(part.pieces));
  });
  return {
    id: answer.id,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content,
    stop_reason: messagesStopReason(answer),
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: messagesUsage(answer.usage),
    ...answer.fields,
  };
}
