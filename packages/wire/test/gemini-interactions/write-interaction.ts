import type { WrittenResponse } from '../format-fixtures.ts';

/** A step to write. */
export type Step = { readonly type: string } & Readonly<Record<string, unknown>>;

/** An interaction to write. */
export interface Written {
  readonly id: string;
  readonly steps: readonly Step[];
  /** By default, it follows from the steps. */
  readonly status?: string;
  /** Further members of the interaction, at its beginning and at its end. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The pieces of the arguments of a call in a stream; two by default. */
  readonly piecesOf?: ((text: string) => readonly string[]) | undefined;
}

/** The usage of every interaction. */
export const USAGE = {
  total_tokens: 114,
  total_input_tokens: 90,
  input_tokens_by_modality: [{ modality: 'text', tokens: 90 }],
  total_cached_tokens: 64,
  total_output_tokens: 9,
  total_tool_use_tokens: 0,
  total_thought_tokens: 15,
};

/** The model's output. */
export function output(text: string): Step {
  return { type: 'model_output', content: [{ type: 'text', text }] };
}

/** A thought: its signature, and a summary if there is one. */
export function thought(signature: string, summary?: string): Step {
  return {
    type: 'thought',
    signature,
    ...(summary !== undefined && { summary: [{ type: 'text', text: summary }] }),
  };
}

/** A call of a function. Its arguments are an object, or a text that is not JSON. */
export function call(id: string, name: string, args: string): Step {
  return { type: 'function_call', id, name, arguments: args };
}

/** Returns the interaction, streamed and whole. */
export function writeInteraction(written: Written): WrittenResponse {
  return { stream: toSse(eventsOf(written)), whole: wholeOf(written) };
}

/** Returns events as server-sent events, with the end marker. */
export function toSse(events: readonly Readonly<Record<string, unknown>>[], end = DONE): string {
  return (
    events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`).join('') + end
  );
}

/** Returns the bytes after the last event. */
export const DONE = 'event: done\ndata: [DONE]\n\n';

/** Returns the events of an interaction, as recorded: the end has no steps. */
export function eventsOf({
  id,
  steps,
  status = statusOf(steps),
  more,
  piecesOf: argumentPieces,
}: Written): Record<string, unknown>[] {
  return [
    {
      interaction: { id, status: 'in_progress', object: 'interaction', ...more },
      event_type: 'interaction.created',
    },
    { interaction_id: id, status: 'in_progress', event_type: 'interaction.status_update' },
    ...steps.flatMap((step, index) => eventsOfStep(step, index, argumentPieces)),
    {
      interaction: { id, status, usage: USAGE, created: `at ${id}`, object: 'interaction', ...more },
      event_type: 'interaction.completed',
    },
  ];
}

function eventsOfStep(
  step: Step,
  index: number,
  argumentPieces: (text: string) => readonly string[] = piecesOf,
): Record<string, unknown>[] {
  const start = (begun: object) => ({ index, step: begun, event_type: 'step.start' });
  const delta = (said: object) => ({ index, delta: said, event_type: 'step.delta' });
  const stop = { index, event_type: 'step.stop' };
  const { type, content, summary, signature, arguments: args } = step;
  switch (type) {
    case 'model_output': {
      const [{ text }] = content as [{ text: string }];
      return [start({ type }), ...piecesOf(text).map((piece) => delta({ text: piece, type: 'text' })), stop];
    }
    case 'thought':
      return [
        start({ type }),
        ...((summary ?? []) as object[]).map((said) => delta({ type: 'thought_summary', content: said })),
        delta({ signature, type: 'thought_signature' }),
        stop,
      ];
    case 'function_call':
      // Recorded: a call has an empty signature at its start, and none in a whole response.
      return [
        start({ ...step, signature: '', arguments: {} }),
        ...argumentPieces(String(args)).map((piece) => delta({ arguments: piece, type: 'arguments_delta' })),
        stop,
      ];
    default:
      return [start({ ...step }), stop];
  }
}

/** Arguments that are not JSON are a text in place of the object. */
function wholeOf({ id, steps, status = statusOf(steps), more }: Written): string {
  const written = steps.map((step) => {
    if (step.type !== 'function_call') return JSON.stringify(step);
    const { arguments: args, ...rest } = step;
    const text = isJson(String(args)) ? String(args) : JSON.stringify(args);
    return `${JSON.stringify(rest).slice(0, -1)}, "arguments": ${text}}`;
  });
  const body = { id, status, usage: USAGE, created: `at ${id}`, steps: 0, object: 'interaction', ...more };
  return JSON.stringify(body, null, 1).replace('"steps": 0', `"steps": [${written.join(', ')}]`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function statusOf(steps: readonly Step[]): string {
  return steps.some(({ type }) => type === 'function_call') ? 'requires_action' : 'completed';
}

function piecesOf(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  // A surrogate pair is one piece.
  const cut = text.charCodeAt(half - 1) >= 0xd800 && text.charCodeAt(half - 1) < 0xdc00 ? half + 1 : half;
  return [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== '');
}
