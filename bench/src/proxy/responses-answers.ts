import { ANSWER_TEXT } from './answer-text.ts';

/**
 * The responses of the bench's upstream in the shape of OpenAI Responses, with as much text as in other
 * formats.
 */

const TEXT_PIECES = 20;
const PIECE = `${ANSWER_TEXT} some words of an answer. `;
const TEXT = PIECE.repeat(TEXT_PIECES);

const PART = { type: 'output_text', annotations: [], logprobs: [], text: TEXT };
const MESSAGE = { id: 'msg_bench', type: 'message', status: 'completed', role: 'assistant', content: [PART] };

function response(status: string, output: readonly object[]): object {
  const isOver = status === 'completed';
  return {
    id: 'resp_bench',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    completed_at: isOver ? 1_700_000_001 : null,
    error: null,
    incomplete_details: null,
    model: 'bench-1',
    output,
    previous_response_id: null,
    store: false,
    // The members that repeat the request are omitted: fixed bytes cannot know the request.
    tool_choice: 'auto',
    usage: isOver ? { input_tokens: 100, output_tokens: 140, total_tokens: 240 } : null,
  };
}

/** A whole text response. */
export const RESPONSES_WHOLE: Buffer = Buffer.from(JSON.stringify(response('completed', [MESSAGE])));

/** The same response as the events of a stream, written one by one. */
export const RESPONSES_STREAM: readonly Buffer[] = streamOf(
  [
    ['response.output_item.added', { output_index: 0, item: { ...MESSAGE, content: [] } }],
    ['response.content_part.added', { ...at(), part: { ...PART, text: '' } }],
    ...Array.from({ length: TEXT_PIECES }, (): [string, object] => [
      'response.output_text.delta',
      { ...at(), delta: PIECE, logprobs: [] },
    ]),
    ['response.output_text.done', { ...at(), text: TEXT, logprobs: [] }],
    ['response.content_part.done', { ...at(), part: PART }],
    ['response.output_item.done', { output_index: 0, item: MESSAGE }],
  ],
  [MESSAGE],
);

/** A response that searches for tools, as the events of a stream. */
export function responsesSearch(query: string): Buffer[] {
  const item = {
    id: 'fc_bench',
    type: 'function_call',
    status: 'completed',
    call_id: 'call_bench',
    name: 'gateway_search_tools',
    arguments: JSON.stringify({ query }),
  };
  return streamOf(
    [
      ['response.output_item.added', { output_index: 0, item: { ...item, arguments: '' } }],
      [
        'response.function_call_arguments.delta',
        { item_id: item.id, output_index: 0, delta: item.arguments },
      ],
      ['response.output_item.done', { output_index: 0, item }],
    ],
    [item],
  );
}

function at(): object {
  return { item_id: MESSAGE.id, output_index: 0, content_index: 0 };
}

function streamOf(
  events: readonly (readonly [type: string, more: object])[],
  output: readonly object[],
): Buffer[] {
  const begun = { response: response('in_progress', []) };
  const all = [
    ['response.created', begun],
    ['response.in_progress', begun],
    ...events,
    ['response.completed', { response: response('completed', output) }],
  ] as const;
  return all.map(([type, more], number) => {
    const data = JSON.stringify({ type, sequence_number: number, ...more });
    return Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
  });
}
