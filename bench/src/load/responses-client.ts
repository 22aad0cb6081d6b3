import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Item {
  readonly id: string;
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly text: string }[];
  readonly summary?: readonly { readonly text: string }[];
}

interface Response {
  readonly id: string;
  readonly status: string;
  readonly output: readonly Item[];
}

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index?: number;
  readonly delta?: string;
  readonly item?: Item;
  readonly response?: Response;
}

/** The items that one response adds to a history. */
interface Turn {
  readonly items: readonly Item[];
}

/** OpenAI Responses, without stored responses. */
export const RESPONSES_CLIENT: WireClient = {
  path: '/v1/responses',
  stops: { text: 'completed', calls: 'completed' },
  headers: ({ credential }) => ({ authorization: `Bearer ${credential}` }),
  writeBody({ model, isStream, catalogue, isNamed, number, thinking }, history) {
    const head = {
      model,
      stream: isStream,
      store: false,
      ...(thinking && { reasoning: thinking }),
      ...(isNamed && { prompt_cache_key: `responses-${number}` }),
    };
    const input = (history as readonly (object | Turn)[]).flatMap((entry): readonly object[] =>
      'items' in entry ? entry.items : [entry],
    );
    return `${JSON.stringify({ ...head, input }).slice(0, -1)},"tools":${catalogue.json.responses}}`;
  },
  writeResults: (results) =>
    results.map(({ callId, text }) => ({ type: 'function_call_output', call_id: callId, output: text })),
  readStream(texts) {
    const events = texts.map((text) => JSON.parse(text) as Event);
    insist(
      events.every(({ sequence_number: number }, at) => number === at),
      'the events are not numbered one by one',
    );
    const [created, begun, ...rest] = events;
    const end = rest.pop();
    insist(
      created?.type === 'response.created' && begun?.type === 'response.in_progress',
      'there is no start',
    );
    insist(end?.type === 'response.completed', 'the response is not completed');
    const items = readItems(rest);
    const { response } = end;
    insist(response?.id === created.response?.id, 'the id changes within the stream');
    const idsOf = (list: readonly Item[]) => list.map(({ id }) => id).join();
    insist(idsOf(response!.output) === idsOf(items), 'the end has other items than the stream');
    return toAnswer(response!);
  },
  readWhole: (json) => toAnswer(JSON.parse(json) as Response),
};

/**
 * Reads the items of a stream. Each must be opened once and closed once, and end with the content of its
 * deltas.
 */
function readItems(events: readonly Event[]): Item[] {
  const open = new Map<number | undefined, string>();
  const items: Item[] = [];
  for (const { type, output_index: index, item, delta } of events) {
    if (type === 'response.output_item.added') {
      insist(index === items.length + open.size, `an item starts as ${index}`);
      open.set(index, '');
      continue;
    }
    const said = open.get(index);
    insist(said !== undefined, `${type} of item ${index} is out of place`);
    open.set(index, said + (delta ?? ''));
    if (type !== 'response.output_item.done') continue;
    insist(saidBy(item!) === said, `item ${index} says something else in the end`);
    open.delete(index);
    items.push(item!);
  }
  insist(open.size === 0, 'an item is not closed');
  return items;
}

function saidBy({ arguments: text, content, summary }: Item): string {
  return text ?? (content ?? summary ?? []).map((part) => part.text).join('');
}

function toAnswer({ id, status, output }: Response): ClientAnswer {
  const textOf = (wanted: string) =>
    output.map((item) => (item.type === wanted ? saidBy(item) : '')).join('');
  return {
    id,
    stop: status,
    text: textOf('message'),
    thoughts: textOf('reasoning'),
    calls: output.flatMap((item) =>
      item.type === 'function_call'
        ? [
            {
              id: item.call_id!,
              name: `${item.namespace ?? ''}${item.name}`,
              input: JSON.parse(item.arguments!),
            },
          ]
        : [],
    ),
    message: { items: output } satisfies Turn,
  };
}
