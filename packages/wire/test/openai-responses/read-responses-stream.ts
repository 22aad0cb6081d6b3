import { sse } from '../../src/framing/sse.ts';
import type { ClientAnswer } from '../format-fixtures.ts';
import { decodeAll } from '../frames.ts';

type Value = Record<string, unknown>;

/**
 * Reads a stream as the strictest client does: numbers without a gap, one start, items opened and closed in order, deltas that add up to what
 * is said at the end, and a terminal response that holds exactly the items that were streamed.
 */
export function readResponsesStream(stream: string): ClientAnswer {
  const events = decodeAll(sse, [new TextEncoder().encode(stream)]).flatMap((event) =>
    event.kind === 'event' ? [JSON.parse(event.data) as Value] : [],
  );
  for (const [at, { sequence_number: number }] of events.entries()) {
    demand(number === at, `event ${at} is numbered ${number}`);
  }
  const [created, begun, ...rest] = events;
  demand(created?.type === 'response.created', 'no start');
  demand(begun?.type === 'response.in_progress', 'no progress');
  const terminal = rest.pop();
  demand(
    terminal !== undefined && /^response\.(completed|incomplete)$/.test(String(terminal.type)),
    'no end',
  );
  const items = new Map<unknown, { text: string; done?: Value }>();
  for (const event of rest) {
    const { type, output_index: index } = event;
    demand(
      !/^response\.(created|queued|in_progress|completed|failed|incomplete)$/.test(String(type)),
      `a second ${type}`,
    );
    if (type === 'response.output_item.added') {
      demand(index === items.size, `item ${index} comes after ${items.size}`);
      items.set(index, { text: '' });
      continue;
    }
    const item = items.get(index);
    demand(item !== undefined && item.done === undefined, `${type} of no open item`);
    if (typeof event.delta === 'string') item!.text += event.delta;
    if (type === 'response.output_item.done') item!.done = event.item as Value;
  }
  const done = [...items.values()].map((item) => item.done);
  demand(
    done.every((item) => item !== undefined),
    'an item is open',
  );
  for (const { text, done: item } of items.values())
    demand(text === saidBy(item!), `${text} is not ${saidBy(item!)}`);
  const response = terminal!.response as Value;
  const idsOf = (list: readonly (Value | undefined)[]) => JSON.stringify(list.map((item) => item?.id));
  demand(idsOf(response.output as Value[]) === idsOf(done), 'the end has other items');
  demand((created!.response as Value).id === response.id, 'the end has another id');
  return readResponse(response);
}

/** Reads a whole response. */
export function readWhole(body: string): ClientAnswer {
  return readResponse(JSON.parse(body) as Value);
}

function readResponse(response: Value): ClientAnswer {
  const output = response.output as Value[];
  const usage = response.usage as { input_tokens: number; output_tokens: number; total_tokens: number };
  const details = response.incomplete_details as { reason: string } | null;
  return {
    id: response.id as string,
    text: output.map((item) => (item.type === 'message' ? saidBy(item) : '')).join(''),
    calls: output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({
        id: item.call_id as string,
        name: item.name as string,
        arguments: JSON.parse(item.arguments as string),
      })),
    stopReason: details?.reason ?? (response.status as string),
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    message: output.map((item) => JSON.stringify(item)).join(','),
  };
}

function saidBy(item: Value): string {
  if (item.type === 'function_call') return item.arguments as string;
  if (item.type !== 'message') return '';
  return (item.content as { text: string }[]).map(({ text }) => text).join('');
}

function demand(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
