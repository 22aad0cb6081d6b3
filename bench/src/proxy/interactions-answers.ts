import { ANSWER_TEXT } from './answer-text.ts';

/**
 * The responses of the bench's upstream in the shape of Gemini's Interactions, with as much text as in other
 * formats.
 */

const TEXT_PIECES = 20;
const PIECE = `${ANSWER_TEXT} some words of an answer. `;

function interaction(status: string): object {
  return {
    // Unstored interactions have no id.
    id: '',
    status,
    object: 'interaction',
    model: 'bench-1',
    ...(status !== 'in_progress' && {
      usage: { total_tokens: 240, total_input_tokens: 100, total_output_tokens: 140 },
      created: '2026-05-15T18:52:03Z',
      updated: '2026-05-15T18:52:04Z',
      service_tier: 'standard',
    }),
  };
}

/** A whole text response. */
export const INTERACTIONS_WHOLE: Buffer = Buffer.from(
  JSON.stringify({
    ...interaction('completed'),
    steps: [{ type: 'model_output', content: [{ type: 'text', text: PIECE.repeat(TEXT_PIECES) }] }],
  }),
);

/** The same response as the events of a stream, written one by one. */
export const INTERACTIONS_STREAM: readonly Buffer[] = streamOf(
  { type: 'model_output' },
  Array.from({ length: TEXT_PIECES }, () => ({ text: PIECE, type: 'text' })),
  'completed',
);

/** A response that searches for tools, as the events of a stream. */
export function interactionsSearch(query: string): Buffer[] {
  const call = { id: 'benchcall0', type: 'function_call', name: 'gateway_search_tools', arguments: {} };
  const said = { arguments: JSON.stringify({ query }), type: 'arguments_delta' };
  return streamOf(call, [said], 'requires_action');
}

function streamOf(step: object, deltas: readonly object[], status: string): Buffer[] {
  const events = [
    { interaction: interaction('in_progress'), event_type: 'interaction.created' },
    { interaction_id: '', status: 'in_progress', event_type: 'interaction.status_update' },
    { index: 0, step, event_type: 'step.start' },
    ...deltas.map((delta) => ({ index: 0, delta, event_type: 'step.delta' })),
    { index: 0, event_type: 'step.stop' },
    { interaction: interaction(status), event_type: 'interaction.completed' },
  ];
  const written = events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`);
  return [...written, 'event: done\ndata: [DONE]\n\n'].map((text) => Buffer.from(text));
}
