import type { CompleteAnswer, IdentifiedCall } from '../upstream/complete-answer.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { textOf } from '../upstream/read-pieces.ts';
import type { Deviations } from '../upstream/scripted-answer.ts';
import { dialectRules } from './chat-dialects.ts';
import { chatFinishReason } from './chat-finish-reason.ts';
import { chatUsage } from './chat-usage.ts';

/** Writes a message as OpenAI returns it without streaming. */
export function writeChatWhole(answer: CompleteAnswer): JsonObject {
  return {
    id: answer.id,
    object: 'chat.completion',
    created: answer.createdSeconds,
    model: answer.model,
    choices: [
      { index: 0, message: writeMessage(answer), logprobs: null, finish_reason: chatFinishReason(answer) },
    ],
    usage: chatUsage(answer.usage),
    service_tier: 'default',
    system_fingerprint: 'fp_testkit',
  };
}

function writeMessage({ parts, fields, deviations }: CompleteAnswer): JsonObject {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [textOf(part.pieces)] : []));
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? [textOf(part.pieces)] : []));
  const calls = parts.flatMap((part) => (part.type === 'call' ? [writeCall(part, deviations)] : []));
  const dialect = dialectRules(deviations.chatDialect);
  const [first, ...others] = calls;
  const text = texts.length > 0 ? texts.join('') : null;
  return {
    role: 'assistant',
    content: text,
    ...(deviations.chatDialect === undefined && { refusal: null, annotations: [] }),
    ...(thoughts.length > 0 && dialect.whole(thoughts.join(''), text)),
    ...(first && { tool_calls: [{ ...first, ...dialect.firstCall }, ...others] }),
    ...fields,
  };
}

function writeCall({ id, name, pieces, fields }: IdentifiedCall, deviations: Deviations): JsonObject {
  const text = textOf(pieces);
  return {
    ...(!deviations.hasNoCallIds && { id }),
    type: 'function',
    function: { name, arguments: deviations.hasObjectArguments ? JSON.parse(text) : text },
    ...fields,
  };
}
