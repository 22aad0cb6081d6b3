import type { WrittenResponse } from '../format-fixtures.ts';

/** An output item to write. */
export type Item = { readonly type: string; readonly id: string } & Readonly<Record<string, unknown>>;

/** A response to write. */
export interface Written {
  readonly id: string;
  readonly output: readonly Item[];
  /** The reason why it is incomplete; complete when absent. */
  readonly incomplete?: string;
  /** Further members of the response. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The pieces of the arguments of a call in a stream; two by default. */
  readonly piecesOf?: ((text: string) => readonly string[]) | undefined;
}

/** The usage of every response. */
export const USAGE = {
  input_tokens: 90,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 102,
};

/** An assistant message. */
export function message(id: string, text: string): Item {
  const content = [{ type: 'output_text', annotations: [], text }];
  return { type: 'message', id, status: 'completed', role: 'assistant', content };
}

/** Reasoning, encrypted. */
export function reasoning(id: string): Item {
  return { type: 'reasoning', id, summary: [], encrypted_content: `gAAAA-${id}` };
}

/** A call of a function. */
export function call(id: string, name: string, text: string, more: object = {}): Item {
  const callId = `call_${id.slice(3)}`;
  return { type: 'function_call', id, status: 'completed', call_id: callId, name, arguments: text, ...more };
}

/** A search of the vendor's tool search that the client runs. */
export function toolSearch(id: string, query: string): Item {
  const more = { call_id: `call_${id.slice(4)}`, execution: 'client', arguments: { query } };
  return { type: 'tool_search_call', id, status: 'completed', ...more };
}

/** Returns the response, streamed and whole. */
export function writeResponse(written: Written): WrittenResponse {
  return { stream: writeStream(written), whole: JSON.stringify(bodyOf(written), null, 2) };
}

/** The events of a response, numbered from 0. */
export function eventsOf(written: Written): Record<string, unknown>[] {
  const body = bodyOf(written);
  // Short, because every stream is cut at every byte.
  const begun = {
    id: body.id,
    created_at: body.created_at,
    status: 'in_progress',
    output: [],
    usage: null,
    ...written.more,
  };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...written.output.flatMap((item, index) => eventsOfItem(item, index, written.piecesOf)),
    { type: `response.${body.status}`, response: body },
  ];
  return events.map((event, number) => ({ ...event, sequence_number: number }));
}

/** Returns events as server-sent events. */
export function toSse(events: readonly Readonly<Record<string, unknown>>[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function writeStream(written: Written): string {
  return toSse(eventsOf(written));
}

function bodyOf({ id, output, incomplete, more }: Written): Record<string, unknown> {
  return {
    id,
    created_at: 1763700000,
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    model: 'gpt-5.4',
    output,
    usage: USAGE,
    ...more,
  };
}

function eventsOfItem(
  item: Item,
  index: number,
  argumentPieces: (text: string) => readonly string[] = piecesOf,
): Record<string, unknown>[] {
  const at = { item_id: item.id, output_index: index };
  const added = (start: object) => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, status: 'in_progress', ...start },
  });
  const done = { type: 'response.output_item.done', output_index: index, item };
  if (item.type === 'message') {
    const [part] = item.content as { text: string }[];
    const where = { ...at, content_index: 0 };
    return [
      added({ content: [] }),
      { type: 'response.content_part.added', ...where, part: { ...part, text: '' } },
      ...piecesOf(part!.text).map((delta) => ({
        type: 'response.output_text.delta',
        ...where,
        delta,
      })),
      { type: 'response.output_text.done', ...where, text: part!.text },
      { type: 'response.content_part.done', ...where, part },
      done,
    ];
  }
  if (item.type === 'function_call') {
    const text = String(item.arguments);
    return [
      added({ arguments: '' }),
      ...argumentPieces(text).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        ...at,
        delta,
      })),
      { type: 'response.function_call_arguments.done', ...at, arguments: text },
      done,
    ];
  }
  // Recorded: encrypted content and the id of a search's call differ between start and end.
  if (item.type === 'reasoning') return [added({ encrypted_content: 'gAAAA-start' }), done];
  if (item.type === 'tool_search_call') return [added({ arguments: {}, call_id: 'call_other' }), done];
  return [added({}), done];
}

function piecesOf(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  // A surrogate pair is one piece.
  const cut = text.charCodeAt(half - 1) >= 0xd800 && text.charCodeAt(half - 1) < 0xdc00 ? half + 1 : half;
  return [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== '');
}
