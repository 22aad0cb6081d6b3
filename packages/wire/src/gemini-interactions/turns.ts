import { changeMembers, type Edit } from '@winnow/core';
import type { RequestView, Turn } from '../format/view.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJson, textOrNone } from '../json/json-value.ts';
import { rememberOn } from '../remember-by.ts';
import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';
import { rememberTurns } from '../turns/remember-turns.ts';
import { runsOf, writeForm } from '../turns/visible-form.ts';
import {
  callIdsOf,
  isFunctionCall,
  isOfModel,
  isSpoken,
  isThought,
  resultsIn,
  wordsOf,
} from './read-request.ts';

/** Returns the runs of model steps in a history, computed once per request. */
export const runsIn = rememberOn(({ history }: RequestView) => runsOf(history, isOfModel));

/** The turns of Interactions: runs of steps. A round keeps its steps as a list. */
export const turns = rememberTurns({
  format: 'gemini-interactions',
  shownIn: (rounds) => {
    const steps = rounds.flatMap(({ turn }) => shownOf(turn));
    const visible = visibleForm(steps);
    if (visible === '') return undefined;
    // Signatures are not keys: recordings show the same one in several responses.
    return { callIds: callIdsOf(steps), signatures: [], said: saidByModel(visible), visible };
  },
  saidIn: (view) => {
    const runAt = new Map(runsIn(view).map((run) => [run.start, run]));
    return (position) => {
      const run = runAt.get(position);
      return run === undefined ? saidByClient(view.history[position]) : saidByModel(visibleForm(run.items));
    };
  },
  fit: (view, index, hidden) =>
    visibleForm(runsIn(view)[index]!.items) === hidden.visible ? hidden : undefined,
});

function shownOf({ message, searches }: Turn): JsonObject[] {
  const searchIds = new Set<unknown>(searches.map(({ id }) => id));
  return stepsIn(message).filter((step) => !isFunctionCall(step) || !searchIds.has(step.id));
}

function saidByModel(visible: string): string {
  return `model:${visible}`;
}

/**
 * Returns the text that identifies an element of the client's. Function results count: conversations that
 * differ only in them are different.
 */
function saidByClient(element: unknown): string | undefined {
  // The first step of a run covers the others.
  if (!isJsonObject(element) || isOfModel(element)) return undefined;
  const results = resultsIn(element).map(({ call_id: id, result }) => [id, result]);
  const contents = element.type === 'user_input' ? objectsIn(element.content) : [element];
  const others = contents.filter(({ type }) => type !== 'text' && type !== 'function_result');
  const words = isSpoken(element) ? wordsOf(element) : '';
  return others.length === 0 && results.length === 0
    ? `user:${words}`
    : JSON.stringify(['user', words, others, results]);
}

const UNCOUNTED: ReadonlySet<string> = new Set(['signature']);

/**
 * Returns the normal form of the model's steps, which is the same for all the ways in which clients send them
 * back.
 *
 * The form ignores thoughts, which many clients leave out, signatures, white space, annotations, and the
 * division of texts into contents and of contents into steps. Everything else counts, because a client's
 * deliberate changes must stay. Empty when the steps have no content.
 */
function visibleForm(steps: readonly JsonObject[]): string {
  return writeForm(steps.flatMap(meaningsOf), UNCOUNTED);
}

function meaningsOf(step: JsonObject): (string | object)[] {
  if (isThought(step)) return [];
  if (isFunctionCall(step)) return [['call', step.id, step.name, step.arguments ?? {}]];
  if (step.type !== 'model_output') return [step];
  return objectsIn(step.content).map((content) =>
    typeof content.text === 'string' ? content.text : content,
  );
}

/**
 * A value that the provider accepts in place of a lost signature, at the cost of some quality. Source:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const ANY_SIGNATURE = '"skip_thought_signature_validator"';

/** Returns a thought, given as JSON, whose signature the provider accepts in front of any step. */
export function withAnySignature(thought: string): string {
  return withMembers(thought, { signature: ANY_SIGNATURE });
}

/** Returns the data of an event about a thought, with such a signature if it brings one. */
export function withAnySignatureIn({ data, body: { step, delta } }: ReadEvent): string {
  const isSigned = isJsonObject(step) && textOrNone(step.signature) !== undefined;
  if (isSigned) return withMember(data, 'step', withAnySignature);
  const isSignature = isJsonObject(delta) && delta.type === 'thought_signature';
  return isSignature ? withMember(data, 'delta', withAnySignature) : data;
}

/**
 * Returns the edits that replace the refused signatures of thoughts and calls, which were made after turns
 * that are now lost. Only the current turn is edited, from the last user input on, because the provider
 * checks no other. Turns at the positions in `restored` have their own signatures. A call without a thought
 * before it gets one.
 */
export function signThoughts(view: RequestView, restored: ReadonlySet<number>): Edit[] {
  return currentRuns(view)
    .filter(({ start }) => !restored.has(start))
    .flatMap(({ start, items: steps }) => {
      const first = steps.findIndex(isFunctionCall);
      const isUnsigned = first !== -1 && !steps.slice(0, first).some(isThought);
      const place = view.spans.history[start + first]?.start ?? 0;
      const added = `{"type":"thought","signature":${ANY_SIGNATURE}},`;
      return [
        ...(isUnsigned ? [{ start: place, end: place, text: added }] : []),
        ...steps.flatMap((step, at) => {
          if (!isThought(step) && textOrNone(step.signature) === undefined) return [];
          return changeMembers(view.text, view.spans.history[start + at]!, { signature: ANY_SIGNATURE });
        }),
      ];
    });
}

/**
 * Whether the provider might refuse signatures of the current turn. It does if turns before them are lost.
 */
export function holdsSignatures(view: RequestView): boolean {
  return currentRuns(view).some(({ items: steps }) =>
    steps.some((step) => textOrNone(step.signature) !== undefined || isFunctionCall(step)),
  );
}

function currentRuns(view: RequestView) {
  const spoken = view.history.findLastIndex(isSpoken);
  return runsIn(view).filter(({ start }) => start > spoken);
}

/** Returns the steps of a turn, parsed. */
function stepsIn(turn: string): JsonObject[] {
  return objectsIn(parseJson(turn));
}

/** Returns the steps that answer the searches of a turn, as JSON. `turn` is its list of steps. */
export function writeResults(
  turn: string,
  results: readonly KeptResult[],
  declared: DeclaredTools,
): string[] {
  const names = new Map(
    stepsIn(turn).flatMap((step) => (isFunctionCall(step) ? [[step.id, step.name]] : [])),
  );
  return results.map((result) => writeResult(result, names.get(result.callId), declared));
}

/** Returns the step that answers one search; `name` is the name of the called tool. */
export function writeResult(result: KeptResult, name: unknown, declared: DeclaredTools): string {
  return JSON.stringify({
    type: 'function_result',
    call_id: result.callId,
    ...(typeof name === 'string' && { name }),
    result: declared.textOf(result),
    ...(result.isError && { is_error: true }),
  });
}
