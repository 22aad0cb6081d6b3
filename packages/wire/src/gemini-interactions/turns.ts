import type { RequestView, Turn } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { rememberTurns } from '../turns/remember-turns.ts';
import { runsOf } from '../turns/runs.ts';
import { writeForm } from '../turns/visible-form.ts';
import { callIdsOf } from './read-history.ts';
import { isFunctionCall, isOfModel, isSpoken, isThought, resultsIn, wordsOf } from './read-steps.ts';
import { stepsIn } from './write-results.ts';

/** Returns the runs of model steps in a history, computed once per request. */
export const runsIn = rememberBy(({ history }: RequestView) => runsOf(history, isOfModel));

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
