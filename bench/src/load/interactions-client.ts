import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Step {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly signature?: string;
  readonly content?: readonly { readonly text: string }[];
  readonly summary?: readonly { readonly text: string }[];
}

interface Interaction {
  readonly id?: string;
  readonly status: string;
  readonly steps: readonly Step[];
}

interface Event {
  readonly event_type: string;
  readonly index?: number;
  readonly step?: Step;
  readonly delta?: {
    readonly text?: string;
    readonly arguments?: string;
    readonly signature?: string;
    readonly content?: { readonly text: string };
  };
  readonly interaction?: Interaction;
}

/** The steps that one response adds to a history. */
interface Turn {
  readonly steps: readonly Step[];
}

/** Gemini's Interactions, without stored interactions. */
export const INTERACTIONS_CLIENT: WireClient = {
  path: '/v1beta/interactions',
  stops: { text: 'completed', calls: 'requires_action' },
  headers: ({ credential, isNamed, number }) => ({
    'x-goog-api-key': credential,
    ...(isNamed && { 'x-winnow-session': `interactions-${number}` }),
  }),
  writeBody({ model, isStream, catalogue, thinking }, history) {
    const config = thinking && { generation_config: { thinking_summaries: 'auto' } };
    const input = (history as readonly (object | Turn)[]).flatMap((entry): readonly object[] =>
      'steps' in entry ? entry.steps : [entry],
    );
    const head = { model, stream: isStream, store: false, ...config, input };
    return `${JSON.stringify(head).slice(0, -1)},"tools":${catalogue.json.interactions}}`;
  },
  writeUser: (text) => ({ type: 'user_input', content: [{ type: 'text', text }] }),
  writeResults: (results) =>
    results.map(({ callId, text }) => ({ type: 'function_result', call_id: callId, result: text })),
  readStream(texts) {
    insist(texts.at(-1) === '[DONE]', 'nothing says that the stream is over');
    const events = texts.slice(0, -1).map((text) => JSON.parse(text) as Event);
    const [created, update, ...rest] = events;
    const end = rest.pop();
    insist(
      created?.event_type === 'interaction.created' && update?.event_type === 'interaction.status_update',
      'there is no start',
    );
    insist(end?.event_type === 'interaction.completed', 'the interaction is not completed');
    insist(end.interaction?.id === created.interaction?.id, 'the id changes within the stream');
    return toAnswer({ ...end.interaction!, steps: readSteps(rest) });
  },
  readWhole: (json) => toAnswer(JSON.parse(json) as Interaction),
};

/** Reads the steps of a stream, each opened once and closed before the next. */
function readSteps(events: readonly Event[]): Step[] {
  const steps: Step[] = [];
  let open: { step: Step; text: string; signature: string | undefined } | undefined;
  for (const { event_type: type, index, step, delta } of events) {
    if (type === 'step.start') {
      insist(open === undefined && index === steps.length, `a step starts as ${index}`);
      open = { step: step!, text: '', signature: undefined };
      continue;
    }
    insist(open !== undefined && index === steps.length, `${type} of step ${index} is out of place`);
    open.text += delta?.text ?? delta?.arguments ?? delta?.content?.text ?? '';
    open.signature = delta?.signature ?? open.signature;
    if (type !== 'step.stop') continue;
    steps.push(closed(open));
    open = undefined;
  }
  insist(open === undefined, 'a step is not closed');
  return steps;
}

function closed({
  step,
  text,
  signature,
}: {
  step: Step;
  text: string;
  signature: string | undefined;
}): Step {
  const { signature: _, ...kept } = step;
  switch (step.type) {
    case 'model_output':
      return { ...kept, content: [{ type: 'text', text } as { text: string }] };
    case 'thought':
      return {
        ...kept,
        ...(signature !== undefined && { signature }),
        ...(text !== '' && { summary: [{ type: 'text', text } as { text: string }] }),
      };
    default:
      return { ...kept, arguments: JSON.parse(text) };
  }
}

/** Unstored interactions have no id in a whole response, and an empty one in a stream. */
function toAnswer({ id, status, steps }: Interaction): ClientAnswer {
  const textOf = (wanted: string) =>
    steps
      .filter(({ type }) => type === wanted)
      .flatMap(({ content, summary }) => (content ?? summary ?? []).map(({ text }) => text))
      .join('');
  return {
    id: id === '' ? undefined : id,
    stop: status,
    text: textOf('model_output'),
    thoughts: textOf('thought'),
    calls: steps.flatMap((step) =>
      step.type === 'function_call' ? [{ id: step.id!, name: step.name!, input: step.arguments }] : [],
    ),
    message: { steps } satisfies Turn,
  };
}
