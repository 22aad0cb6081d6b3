import { sse } from '../../src/framing/sse.ts';
import type { ClientAnswer } from '../format-fixtures.ts';
import { decodeAll } from '../frames.ts';

interface StreamedCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Reads a stream like the strictest client; throws for another id, a second role, a call out of order, or
 * anything after the stop except one usage and the end.
 */
export function readChatStream(stream: string): ClientAnswer {
  const events = decodeAll(sse, [new TextEncoder().encode(stream)]);
  const data = events.flatMap((event) => (event.kind === 'event' ? [event.data] : []));
  if (data.at(-1) !== '[DONE]') throw new Error('no end');
  const chunks = data.slice(0, -1).map((text) => JSON.parse(text));
  const [{ id, created }] = chunks;
  const usages = chunks.filter(({ usage }) => usage);
  const stops = chunks.filter(({ choices }) => choices[0]?.finish_reason);
  const roles = chunks.filter(({ choices }) => choices[0]?.delta.role);
  if (chunks.some((chunk) => chunk.error || chunk.id !== id || chunk.created !== created))
    throw new Error('two answers');
  if (stops.length !== 1 || chunks.at(-1 - usages.length) !== stops[0]) throw new Error('not one stop');
  if (roles.length !== 1 || roles[0] !== chunks[0]) throw new Error('not one role');
  if (usages.length !== 1 || usages[0].choices.length !== 0) throw new Error('not one usage');
  const deltas = chunks.flatMap(({ choices }) => (choices[0] ? [choices[0].delta] : []));
  const calls = readCalls(deltas);
  const text = deltas.map(({ content }) => content ?? '').join('');
  return {
    id,
    text,
    calls: calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) })),
    stopReason: stops[0].choices[0].finish_reason,
    inputTokens: usages[0].usage.prompt_tokens,
    outputTokens: usages[0].usage.completion_tokens,
    message: JSON.stringify({ role: 'assistant', content: text === '' ? null : text, ...writeCalls(calls) }),
  };
}

function readCalls(
  deltas: readonly { tool_calls?: { index: number; id?: string; function: Partial<StreamedCall> }[] }[],
) {
  const calls: StreamedCall[] = [];
  for (const { index, id, function: part } of deltas.flatMap(({ tool_calls = [] }) => tool_calls)) {
    if (index === calls.length) calls.push({ id: id!, name: part.name!, arguments: '' });
    if (index >= calls.length) throw new Error('call out of order');
    if (id !== undefined && id !== calls[index]!.id) throw new Error('another id');
    calls[index]!.arguments += part.arguments ?? '';
  }
  return calls;
}

function writeCalls(calls: readonly StreamedCall[]): object {
  if (calls.length === 0) return {};
  const written = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  return { tool_calls: written };
}
