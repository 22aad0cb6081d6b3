import { parseJson } from '@winnow/core';
import type { CompleteAnswer, IdentifiedCall } from '../upstream/complete-answer.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { textOf, writePieces } from '../upstream/read-pieces.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';

/** Durations that every response reports, in nanoseconds. */
const DURATIONS = {
  total_duration: 2_500_000_000,
  load_duration: 500_000_000,
  prompt_eval_duration: 1_000_000_000,
  eval_duration: 1_000_000_000,
};

/**
 * Writes a message as Ollama streams it: a line for each word, one for each whole call, and one for the end.
 */
export function* writeOllamaStream(answer: CompleteAnswer): Generator<StreamItem> {
  const line = (message: JsonObject): SseEvent =>
    toEvent({ ...head(answer), message: toMessage(message), done: false });
  let calls = 0;
  for (const part of answer.parts) {
    switch (part.type) {
      case 'text':
        yield* writePieces(part.pieces, (content) => line({ content }));
        break;
      case 'thinking':
        yield* writePieces(part.pieces, (thinking) => line({ thinking }));
        break;
      case 'call': {
        // The server buffers a call, whatever happens meanwhile, and sends it whole.
        for (const piece of part.pieces) if (typeof piece !== 'string') yield piece;
        yield line({ tool_calls: [writeCall(part, calls, answer)] });
        calls += 1;
        break;
      }
      case 'block':
        break;
      default:
        yield part;
    }
  }
  yield toEvent({ ...head(answer), message: toMessage({}), ...writeEnd(answer) });
}

/** Writes a message as Ollama returns it without streaming. */
export function writeOllamaWhole(answer: CompleteAnswer): JsonObject {
  const { parts } = answer;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [textOf(part.pieces)] : []));
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? [textOf(part.pieces)] : []));
  const calls = parts.filter((part) => part.type === 'call');
  const message = toMessage({
    content: texts.join(''),
    ...(thoughts.length > 0 && { thinking: thoughts.join('') }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => writeCall(call, index, answer)) }),
    ...answer.fields,
  });
  return { ...head(answer), message, ...writeEnd(answer) };
}

function head({ model, createdSeconds }: CompleteAnswer): JsonObject {
  return { model, created_at: new Date(createdSeconds * 1_000).toISOString() };
}

function toMessage(members: JsonObject): JsonObject {
  return { role: 'assistant', content: '', ...members };
}

/** Versions before 0.13 have neither ids nor numbers. */
function writeCall(
  { id, name, pieces }: IdentifiedCall,
  index: number,
  { deviations }: CompleteAnswer,
): JsonObject {
  const given = parseJson(textOf(pieces)) ?? {};
  if (deviations.hasNoCallIds) return { function: { name, arguments: given } };
  return { id, function: { index, name, arguments: given } };
}

/** Writes the last line. Calls end a response with the same reason as text. */
function writeEnd({ stop, usage }: CompleteAnswer): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return {
    done: true,
    done_reason: stop === 'length' ? 'length' : 'stop',
    ...DURATIONS,
    prompt_eval_count: inputTokens + cacheReadTokens + cacheWriteTokens,
    eval_count: outputTokens,
  };
}

function toEvent(line: JsonObject): SseEvent {
  return { type: 'event', data: JSON.stringify(line) };
}
