import { sse } from '../../src/framing/sse.ts';
import type { ClientAnswer } from '../format-fixtures.ts';
import { decodeAll } from '../frames.ts';

type Value = Record<string, unknown>;

interface OpenStep {
  readonly step: Value;
  text: string;
  args: string;
  isStopped: boolean;
}

/**
 * Reads a stream as the strictest client does: one start, steps that are numbered without a gap, opened and closed in order, one end of the same
 * interaction, a status that fits the calls, and nothing behind `[DONE]`.
 */
export function readInteractionStream(stream: string): ClientAnswer {
  const datas = decodeAll(sse, [new TextEncoder().encode(stream)]).flatMap((event) =>
    event.kind === 'event' ? [event.data] : [],
  );
  demand(datas.pop() === '[DONE]', 'nothing says that the stream is over');
  const events = datas.map((data) => JSON.parse(data) as Value);
  const [created, update, ...rest] = events;
  demand(created?.event_type === 'interaction.created', 'no start');
  demand(update?.event_type === 'interaction.status_update', 'no status');
  const end = rest.pop();
  demand(end?.event_type === 'interaction.completed', 'no end');
  const steps: OpenStep[] = [];
  for (const event of rest) readStepEvent(event, steps);
  demand(
    steps.every(({ isStopped }) => isStopped),
    'a step is open',
  );
  const [begun, interaction] = [created!.interaction, end!.interaction] as [Value, Value];
  demand(begun.id === interaction.id && update!.interaction_id === begun.id, 'the end has another id');
  demand(begun.status === 'in_progress', 'the start is not one');
  return readInteraction({ ...interaction, steps: steps.map(assembled) });
}

function readStepEvent({ event_type: type, index, step, delta }: Value, steps: OpenStep[]): void {
  if (type === 'step.start') {
    demand(index === steps.length, `step ${index} comes after ${steps.length}`);
    demand(steps.at(-1)?.isStopped ?? true, 'two steps are open');
    steps.push({ step: step as Value, text: '', args: '', isStopped: false });
    return;
  }
  const open = steps[index as number];
  demand(open !== undefined && !open.isStopped, `${type} of no open step`);
  if (type === 'step.stop') open!.isStopped = true;
  else {
    demand(type === 'step.delta', `a second ${type}`);
    const said = delta as { text?: string; arguments?: string; signature?: string };
    open!.text += said.text ?? '';
    open!.args += said.arguments ?? '';
    if (said.signature !== undefined) open!.step.signature = said.signature;
  }
}

/** Returns the step as the client sends it back. */
function assembled({ step, text, args }: OpenStep): Value {
  if (step.type === 'model_output') return { ...step, content: [{ type: 'text', text }] };
  if (step.type !== 'function_call') return step;
  const { signature, ...call } = step;
  return { ...call, arguments: args === '' ? {} : JSON.parse(args) };
}

/** Reads a whole interaction. */
export function readWhole(body: string): ClientAnswer {
  return readInteraction(JSON.parse(body) as Value);
}

function readInteraction({ id, status, usage, steps: list }: Value): ClientAnswer {
  const steps = list as Value[];
  const calls = steps.filter(({ type }) => type === 'function_call');
  if (status === 'requires_action') demand(calls.length > 0, 'an action without a call');
  const counts = usage as Record<string, number>;
  return {
    id: id as string,
    text: steps.map((step) => (step.type === 'model_output' ? saidBy(step) : '')).join(''),
    calls: calls.map((call) => ({
      id: call.id as string,
      name: call.name as string,
      arguments: call.arguments,
    })),
    stopReason: status as string,
    inputTokens: counts.total_input_tokens! + counts.total_tool_use_tokens!,
    outputTokens: counts.total_output_tokens! + counts.total_thought_tokens!,
    message: steps.map((step) => JSON.stringify(step)).join(','),
  };
}

function saidBy({ content }: Value): string {
  return (content as { text: string }[]).map(({ text }) => text).join('');
}

function demand(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
