import type { CompleteAnswer, CompletePart, IdentifiedCall } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { stringsOf, writePieces } from '../upstream/read-pieces.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';
import { dialectRules } from './chat-dialects.ts';
import { chatFinishReason } from './chat-finish-reason.ts';
import { chatUsage } from './chat-usage.ts';
import { type WriteDelta, writeChatCalls } from './write-chat-calls.ts';

/** Writes a message as OpenAI streams it, with chunks in OpenAI's order. */
export function* writeChatStream(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  const { deviations, parts, fields } = answer;
  const hasUsage = isJsonObject(body.stream_options) && body.stream_options.include_usage === true;
  const chunk = (more: JsonObject): SseEvent =>
    writeChunk(answer, { ...more, ...(hasUsage && { usage: null }) });
  const delta: WriteDelta = (content, finishReason = null) => {
    const role = deviations.repeatsRole ? { role: 'assistant' } : {};
    const choice = { index: 0, delta: { ...role, ...content }, logprobs: null, finish_reason: finishReason };
    return chunk({ choices: [choice] });
  };

  if (deviations.hasLeadingChunk) yield chunk({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  const content = parts[0]?.type === 'call' ? null : '';
  const own = deviations.chatDialect === undefined && { refusal: null };
  yield delta({ role: 'assistant', content, ...own, ...fields });
  for (const run of groupCalls(parts)) {
    if (Array.isArray(run)) yield* writeChatCalls(run, { answer, delta });
    else yield* writePart(run, delta, answer);
  }
  if (!hasWholeCalls(answer)) yield delta({}, chatFinishReason(answer));
  if (hasUsage) yield writeChunk(answer, { choices: [], usage: chatUsage(answer.usage) });
  if (!deviations.hasNoDone) yield { type: 'event', data: '[DONE]' };
}

/** Whether the finish reason is in the chunk of the last call. */
function hasWholeCalls({ deviations, parts }: CompleteAnswer): boolean {
  return Boolean(deviations.hasWholeCalls || deviations.hasObjectArguments) && parts.at(-1)?.type === 'call';
}

type OtherPart = Exclude<CompletePart, IdentifiedCall>;

/** Groups the parts in order; adjacent calls form one list. */
function groupCalls(parts: readonly CompletePart[]): (OtherPart | IdentifiedCall[])[] {
  const groups: (OtherPart | IdentifiedCall[])[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (part.type !== 'call') groups.push(part);
    else if (Array.isArray(last)) last.push(part);
    else groups.push([part]);
  }
  return groups;
}

function* writePart(
  part: OtherPart,
  delta: WriteDelta,
  { deviations: { chatDialect } }: CompleteAnswer,
): Generator<StreamItem> {
  switch (part.type) {
    case 'text':
      yield* writePieces(part.pieces, (content) => delta({ content }));
      break;
    case 'thinking':
      if (chatDialect === undefined) {
        yield* writePieces(part.pieces, (text) => delta({ reasoning_content: text }));
        break;
      }
      for (const one of dialectRules(chatDialect).deltas(stringsOf(part.pieces))) yield delta(one);
      break;
    case 'block':
      break;
    default:
      yield part;
  }
}

function writeChunk({ id, createdSeconds, model }: CompleteAnswer, more: JsonObject): SseEvent {
  const head = { id, object: 'chat.completion.chunk', created: createdSeconds, model };
  const data = JSON.stringify({
    ...head,
    service_tier: 'default',
    system_fingerprint: 'fp_testkit',
    ...more,
  });
  return { type: 'event', data };
}
