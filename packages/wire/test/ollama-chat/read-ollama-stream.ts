import { ndjson } from '../../src/framing/ndjson.ts';
import type { ClientAnswer } from '../format-fixtures.ts';
import { decodeAll } from '../frames.ts';

interface Line {
  readonly model: string;
  readonly message: {
    readonly role: string;
    readonly content: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly OllamaCall[];
  };
  readonly done: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
  readonly error?: string;
}

interface OllamaCall {
  readonly id?: string;
  readonly function: { readonly index?: number; readonly name: string; readonly arguments: unknown };
}

/**
 * Reads a stream like the strictest client; throws for a blank line, an error, a call out of order, or two
 * ends.
 */
export function readOllamaStream(stream: string): ClientAnswer {
  const events = decodeAll(ndjson, [new TextEncoder().encode(stream)]);
  const lines = events.map((event): Line => {
    if (event.kind !== 'event') throw new Error('a blank line');
    return JSON.parse(event.data) as Line;
  });
  const failure = lines.find(({ error }) => error !== undefined);
  if (failure !== undefined) throw new Error(failure.error);
  const [last, ...otherEnds] = lines.filter(({ done }) => done);
  if (last === undefined || otherEnds.length > 0 || lines.at(-1) !== last) throw new Error('not one end');
  const early = lines.slice(0, -1);
  if (early.some((line) => line.done_reason !== undefined || line.eval_count !== undefined)) {
    throw new Error('an end before the end');
  }
  return readMessage(last, {
    content: lines.map(({ message }) => message.content).join(''),
    thinking: lines.map(({ message: { thinking = '' } }) => thinking).join(''),
    calls: lines.flatMap(({ message }) => message.tool_calls ?? []),
  });
}

/** Reads a whole response. */
export function readOllamaWhole(body: string): ClientAnswer {
  const response = JSON.parse(body) as Line;
  if (response.error !== undefined || !response.done) throw new Error('no response');
  const { content, thinking = '', tool_calls: calls = [] } = response.message;
  return readMessage(response, { content, thinking, calls });
}

function readMessage(
  last: Line,
  {
    content,
    thinking,
    calls,
  }: { readonly content: string; readonly thinking: string; readonly calls: readonly OllamaCall[] },
): ClientAnswer {
  const numbers = calls.flatMap(({ function: { index } }) => (index === undefined ? [] : [index]));
  if (numbers.some((number, at) => number !== at)) throw new Error('a call out of order');
  const message = {
    role: 'assistant',
    content,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    // Responses have no id.
    id: last.model,
    text: content,
    calls: calls.map(({ id = '', function: { name, arguments: given } }) => ({ id, name, arguments: given })),
    stopReason: last.done_reason!,
    inputTokens: last.prompt_eval_count!,
    outputTokens: last.eval_count!,
    message: JSON.stringify(message),
  };
}
