import type { CompleteAnswer, IdentifiedCall } from '../upstream/complete-answer.ts';
import type { Interruption } from '../upstream/interruption.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { textOf, writePieces } from '../upstream/read-pieces.ts';
import type { Deviations } from '../upstream/scripted-answer.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';
import { dialectRules } from './chat-dialects.ts';
import { chatFinishReason } from './chat-finish-reason.ts';

/** Writes one chunk with one choice. */
export type WriteDelta = (delta: JsonObject, finishReason?: string | null) => SseEvent;

/** Context for writing calls. */
export interface CallsContext {
  readonly answer: CompleteAnswer;
  readonly delta: WriteDelta;
}

/** Writes parallel calls as OpenAI streams them, or with the deviations of a compatible server. */
export function* writeChatCalls(
  calls: readonly IdentifiedCall[],
  context: CallsContext,
): Generator<StreamItem> {
  const { deviations } = context.answer;
  if (deviations.hasWholeCalls || deviations.hasObjectArguments) {
    for (const call of calls) yield writeWholeCall(call, context);
  } else if (deviations.interleavesCalls) {
    yield* takeTurns(calls.map((call) => writeCall(call, context)));
  } else {
    for (const call of calls) yield* writeCall(call, context);
  }
}

function* writeCall(call: IdentifiedCall, { answer, delta }: CallsContext): Generator<StreamItem> {
  const { deviations } = answer;
  const index = writeIndex(call, answer);
  const names = deviations.splitsNames ? inThree(call.name) : [call.name];
  const id = deviations.hasNoCallIds ? {} : { id: call.id };
  const start = {
    ...index,
    ...id,
    type: 'function',
    function: { name: names[0], arguments: '' },
    ...(index.index === 0 && dialectRules(deviations.chatDialect).firstCall),
    ...call.fields,
  };
  yield delta({ tool_calls: [start] });
  for (const name of names.slice(1)) yield delta({ tool_calls: [{ ...index, function: { name } }] });
  yield* writePieces(call.pieces, (text) =>
    delta({ tool_calls: [{ ...index, function: { arguments: text } }] }),
  );
}

function writeWholeCall(call: IdentifiedCall, { answer, delta }: CallsContext): StreamItem {
  const { deviations, parts } = answer;
  const text = textOf(call.pieces);
  const whole = {
    ...writeIndex(call, answer),
    ...(!deviations.hasNoCallIds && { id: call.id }),
    type: 'function',
    function: { name: call.name, arguments: deviations.hasObjectArguments ? JSON.parse(text) : text },
    ...call.fields,
  };
  return delta({ tool_calls: [whole] }, parts.at(-1) === call ? chatFinishReason(answer) : null);
}

function writeIndex(call: IdentifiedCall, { parts, deviations }: CompleteAnswer): JsonObject {
  const index = parts.filter(({ type }) => type === 'call').indexOf(call);
  return INDEXES[deviations.callIndex ?? 'contiguous'](index);
}

const INDEXES: Record<NonNullable<Deviations['callIndex']> | 'contiguous', (index: number) => JsonObject> = {
  contiguous: (index) => ({ index }),
  zero: () => ({ index: 0 }),
  absent: () => ({}),
  'from-one': (index) => ({ index: index + 1 }),
};

/**
 * Splits a name into three fragments, the first two of one character: so it remains a prefix of many other
 * names for as long as possible.
 */
function inThree(name: string): string[] {
  return [name.slice(0, 1), name.slice(1, 2), name.slice(2)];
}

function* takeTurns(streams: readonly Generator<StreamItem>[]): Generator<StreamItem | Interruption> {
  let unfinished = streams;
  while (unfinished.length > 0) {
    const steps = unfinished.map((stream) => ({ stream, step: stream.next() }));
    for (const { step } of steps) if (!step.done) yield step.value;
    unfinished = steps.flatMap(({ stream, step }) => (step.done ? [] : [stream]));
  }
}
