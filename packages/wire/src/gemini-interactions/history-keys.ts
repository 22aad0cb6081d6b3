import type { RequestView, TurnKeys } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type Conversation, keyOfOpening, keysOfNextTurn, keysOfTurns } from '../turns/turn-keys.ts';
import { callIdsOf, runsOf } from './read-history.ts';
import { isOfModel, isSpoken, objectsIn, resultsIn, wordsOf } from './read-steps.ts';
import { visibleForm } from './visible-form.ts';

/** The keys of each visible turn. */
export function historyKeys(view: RequestView): TurnKeys[] {
  return keysOfTurns(conversationOf(view));
}

/** The key of what was said before the first turn of the model. */
export function openingKey(view: RequestView): string {
  return keyOfOpening(conversationOf(view), view.turns[0]?.position ?? view.history.length);
}

/** The keys of a turn of these steps, which say `visible`, that follows the history. Signatures are none: recordings have one in several responses. */
export function keysOfShown(view: RequestView, shown: readonly JsonObject[], visible: string): TurnKeys {
  const turn = { callIds: callIdsOf(shown), signatures: [] };
  return keysOfNextTurn(conversationOf(view), turn, saidByModel(visible));
}

/** The runs of a history's steps that the model made, each found once. */
export const runsIn = rememberBy(({ history }: RequestView) => runsOf(history));

const conversationOf = rememberBy((view: RequestView): Conversation => {
  const { history, toolSection } = view;
  const runs = runsIn(view);
  const runAt = new Map(runs.map((run) => [run.start, run]));
  return {
    turns: runs.map(({ start, steps }) => ({ position: start, callIds: callIdsOf(steps), signatures: [] })),
    length: history.length,
    toolSection,
    saidAt: (position) => {
      const run = runAt.get(position);
      return run === undefined ? saidByClient(history[position]) : saidByModel(visibleForm(run.steps));
    },
  };
});

function saidByModel(visible: string): string {
  return `model:${visible}`;
}

/** Results of functions count: conversations that read alike but for those are not the same. */
function saidByClient(element: unknown): string | undefined {
  // Steps within a run were told of with its first.
  if (!isJsonObject(element) || isOfModel(element)) return undefined;
  const results = resultsIn(element).map(({ call_id: id, result }) => [id, result]);
  const contents = element.type === 'user_input' ? objectsIn(element.content) : [element];
  const others = contents.filter(({ type }) => type !== 'text' && type !== 'function_result');
  const words = isSpoken(element) ? wordsOf(element) : '';
  return others.length === 0 && results.length === 0
    ? `user:${words}`
    : JSON.stringify(['user', words, others, results]);
}
