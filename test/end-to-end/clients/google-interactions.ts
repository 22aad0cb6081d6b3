import { GoogleGenAI, type Interactions } from '@google/genai';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  withFetch,
} from './test-client.ts';

/**
 * The interactions of the `@google/genai` package, with the whole conversation in each request and nothing
 * stored.
 */
export const googleInteractions: TestClient = {
  name: '@google/genai, interactions',
  format: 'interactions',
  converse: (request) => converse(request, 'history'),
};

/** The same, continuing the previous, stored interaction. */
export const googleStored: TestClient = {
  name: '@google/genai, previous_interaction_id',
  format: 'interactions',
  converse: (request) => converse(request, 'previous'),
};

type Step = Interactions.Step & { readonly type: string };

/** The parts of an interaction that its user reads. */
interface Answer {
  readonly id?: string | undefined;
  readonly status: string;
  readonly steps: readonly Step[];
  readonly model?: string | undefined;
}

async function converse(request: ConversationRequest, by: 'history' | 'previous'): Promise<unknown[]> {
  const { url, model, tools, userMessages, isStream, thinks } = request;
  const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url, ...withFetch(request) } });
  const transcript: unknown[] = [];
  let input: Step[] = [];
  let previous: string | undefined;
  const ask = async (signal: AbortSignal | undefined): Promise<Answer> => {
    const options = signal && { signal };
    const body = {
      model,
      input,
      store: by === 'previous',
      ...(previous !== undefined && { previous_interaction_id: previous }),
      ...(thinks && { generation_config: { thinking_summaries: 'auto' as const } }),
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters,
      })),
    };
    if (!isStream) return client.interactions.create(body, options) as Promise<Answer>;
    return readEvents(await client.interactions.create({ ...body, stream: true }, options));
  };
  for (const text of userMessages) {
    input.push({ type: 'user_input', content: [{ type: 'text', text }] });
    for (let step = 0; step < MAX_STEPS; step++) {
      const answer = await askUnlessLeft(request, ask);
      transcript.push(shownOf(answer));
      const results = answer.steps.flatMap((one) =>
        one.type === 'function_call'
          ? [
              {
                type: 'function_result' as const,
                call_id: one.id,
                name: one.name,
                result: runTool(one.name, one.arguments),
              },
            ]
          : [],
      );
      if (by === 'previous') {
        previous = answer.id;
        input = results;
      } else input = [...input, ...answer.steps, ...results];
      if (results.length === 0) break;
    }
  }
  return transcript;
}

/** Puts the events of a stream together, as every user must. */
async function readEvents(events: AsyncIterable<Interactions.InteractionSSEEvent>): Promise<Answer> {
  const steps: Record<string, unknown>[] = [];
  const spelt = new Map<number, string>();
  let id: string | undefined;
  let end: Interactions.InteractionCompletedEvent['interaction'] | undefined;
  for await (const event of events) {
    switch (event.event_type) {
      case 'interaction.created':
        id = event.interaction.id;
        break;
      case 'step.start':
        if (event.index !== steps.length) throw new Error(`step ${event.index} comes after ${steps.length}`);
        steps.push({ ...event.step });
        break;
      case 'step.delta': {
        const { index, delta } = event;
        const step = steps[index]!;
        if (delta.type === 'text') step.content = addText(step.content, delta.text);
        else if (delta.type === 'thought_summary')
          step.summary = addText(step.summary, (delta.content as { text: string }).text);
        else if (delta.type === 'thought_signature') step.signature = delta.signature;
        else if (delta.type === 'arguments_delta') {
          spelt.set(index, (spelt.get(index) ?? '') + delta.arguments);
          // The arguments so far need not be JSON.
          step.arguments = spelt.get(index);
        }
        break;
      }
      case 'interaction.completed':
        if (end !== undefined) throw new Error('a second end');
        end = event.interaction;
        break;
      case 'error':
        throw new Error(event.error?.message);
      default:
    }
  }
  if (end === undefined || end.id !== id) throw new Error('no end of this interaction');
  const whole = steps.map(({ signature, ...step }) => ({
    ...step,
    ...(signature !== '' && signature !== undefined && { signature }),
    ...(typeof step.arguments === 'string' && { arguments: JSON.parse(step.arguments) as unknown }),
  }));
  return { id, status: end.status, model: end.model, steps: whole as unknown as Step[] };
}

function addText(list: unknown, text: string): unknown {
  const [{ text: before }] = (list ?? [{ text: '' }]) as [{ text: string }];
  return [{ type: 'text', text: before + text }];
}

/**
 * An interaction as its user sees it, without thoughts, times and usage. After hidden searches, its id comes
 * from another round; the mark after the id shows that.
 */
function shownOf({ id, status, steps, model, ...more }: Answer & { readonly output_text?: string }): unknown {
  return {
    id: id?.replace(/r\d+$/, ''),
    status,
    model,
    text: more.output_text,
    steps: steps.filter(({ type }) => type !== 'thought'),
  };
}
