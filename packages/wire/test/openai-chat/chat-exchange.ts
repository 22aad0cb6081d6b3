import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { SEARCH } from '../format-fixtures.ts';
import { type ExchangeRun, planOf, runExchange, viewOf } from '../run-exchange.ts';

/** The options of a streamed request in these tests. */
export interface StreamOptions {
  /** Whether the client asks for usage; false by default. */
  readonly wantsUsage?: boolean;
  /** The search tool's name in the plan; null for a plan without search. */
  readonly searchTool?: null;
}

/**
 * Streams these chunks, one list for each round, through a joiner; `[DONE]` follows each list unless it
 * contains one.
 */
export function streamChunks(
  rounds: readonly (readonly unknown[])[],
  { wantsUsage = false, searchTool }: StreamOptions = {},
): ExchangeRun {
  const options = wantsUsage ? ',"stream_options":{"include_usage":true}' : '';
  const view = viewOf(openaiChat, `{"model":"m","stream":true${options},"messages":[],"tools":[]}`);
  const plan = searchTool === null ? { ...planOf([]), searchTool: undefined } : planOf(['weather_get']);
  const streams = rounds.map((chunks) => ({ stream: writeChunks(chunks), whole: '' }));
  return runExchange(openaiChat, view, streams, plan);
}

/** Returns chunks as bytes of a stream; a string is used as it is. */
export function writeChunks(chunks: readonly unknown[]): string {
  const texts = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk)));
  return [...texts, '[DONE]'].map((text) => `data: ${text}\n\n`).join('');
}

/** Returns the client's chunks, parsed, without the end. */
export function chunksOf({ text }: ExchangeRun): { choices: { delta: Record<string, unknown> }[] }[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

/** Returns the client's entries of `tool_calls`, in order. */
export function callDeltas(run: ExchangeRun): unknown[] {
  return chunksOf(run).flatMap(
    ({ choices }) => (choices[0]?.delta.tool_calls as unknown[] | undefined) ?? [],
  );
}

/** A chunk with one choice. */
export function chunk(delta: object, finishReason: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
}

/** A chunk with entries of `tool_calls`. */
export function calls(...entries: object[]): object {
  return chunk({ tool_calls: entries });
}

/** A chunk that ends an answer. */
export function stop(finishReason = 'tool_calls'): object {
  return chunk({}, finishReason);
}

/** A search in one chunk. */
export function search(id = 'call_s'): object {
  return calls({ index: 0, id, type: 'function', function: { name: SEARCH, arguments: '{"query":"x"}' } });
}
