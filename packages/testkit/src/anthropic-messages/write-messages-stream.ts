import type { CompleteAnswer } from '../upstream/complete-answer.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { textOf } from '../upstream/read-pieces.ts';
import type { Deviations } from '../upstream/scripted-answer.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';
import { MESSAGES_PING } from './messages-ping.ts';
import { messagesStopReason } from './messages-stop-reason.ts';
import { messagesFinalUsage, messagesUsage } from './messages-usage.ts';
import {
  type BlockPart,
  type BlockWriter,
  createBlockWriter,
  isBlockPart,
  omitsThinking,
  writeCall,
} from './write-messages-blocks.ts';

/** Writes a message as Anthropic streams it, with events in Anthropic's order. */
export function* writeMessagesStream(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  for (const item of writeEvents(answer, body)) {
    if (!answer.deviations.hasNoEventLines) yield item;
    else if (item.type === 'ping') yield { type: 'event', data: MESSAGES_PING.data };
    else yield item.type === 'event' ? { type: 'event', data: item.data } : item;
  }
}

function* writeEvents(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  yield writeStart(answer);
  const context: BlockContext = { writer: createBlockWriter(body), body, deviations: answer.deviations };
  let index = 0;
  for (const part of answer.parts) {
    if (isBlockPart(part)) yield* writeBlock(part, index++, context);
    else yield part;
  }
  const ending = { stop_sequence: null, stop_details: null, container: answer.fields.container ?? null };
  const delta = { stop_reason: messagesStopReason(answer), ...ending };
  yield event('message_delta', { delta, usage: messagesFinalUsage(answer.usage) });
  yield event('message_stop', {});
}

function writeStart({ id, model, usage, fields }: CompleteAnswer): SseEvent {
  const head = { id, type: 'message', role: 'assistant', model, content: [] };
  const end = { stop_reason: null, stop_sequence: null, stop_details: null, container: null };
  return event('message_start', { message: { ...head, ...end, usage: messagesUsage(usage, 1), ...fields } });
}

interface BlockContext {
  readonly writer: BlockWriter;
  readonly body: JsonObject;
  readonly deviations: Deviations;
}

function* writeBlock(part: BlockPart, index: number, context: BlockContext): Generator<StreamItem> {
  const start = (block: JsonObject): SseEvent =>
    event('content_block_start', { index, content_block: block });
  yield start(startOf(part, context));
  // The real service sends its first ping here.
  if (index === 0) yield { type: 'ping' };
  yield* writeDeltas(part, index, context);
  yield event('content_block_stop', { index });
}

function startOf(part: BlockPart, { deviations }: BlockContext): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: '', citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'call': {
      const input = deviations.hasInputInStart ? JSON.parse(textOf(part.pieces)) : {};
      return writeCall(part, input);
    }
    case 'block':
      return part.block;
  }
}

function* writeDeltas(part: BlockPart, index: number, context: BlockContext): Generator<StreamItem> {
  const { writer, body, deviations } = context;
  if (part.type === 'block') {
    writer.finish(part, '');
    return;
  }
  const delta = (content: JsonObject): SseEvent => event('content_block_delta', { index, delta: content });
  const isSilent =
    (part.type === 'thinking' && omitsThinking(body)) || (part.type === 'call' && deviations.hasInputInStart);
  if (part.type === 'call' && !isSilent) yield delta({ type: 'input_json_delta', partial_json: '' });
  let text = '';
  for (const piece of part.pieces) {
    if (typeof piece !== 'string') yield piece;
    else {
      if (!isSilent) yield delta(DELTAS[part.type](piece));
      if (part.type !== 'thinking' || !isSilent) text += piece;
    }
  }
  const block = writer.finish(part, text);
  if (part.type === 'thinking') yield delta({ type: 'signature_delta', signature: block.signature });
}

const DELTAS: Record<'text' | 'thinking' | 'call', (piece: string) => JsonObject> = {
  text: (text) => ({ type: 'text_delta', text }),
  thinking: (thinking) => ({ type: 'thinking_delta', thinking }),
  call: (json) => ({ type: 'input_json_delta', partial_json: json }),
};

function event(type: string, data: JsonObject): SseEvent {
  return { type: 'event', event: type, data: JSON.stringify({ type, ...data }) };
}
