import { type Edit, resultText } from '@winnow/core';
import type { AddedTool } from '../format/capabilities.ts';
import type { Past } from '../format/request-parts.ts';
import type { HiddenTurn, Plan, RequestView, Round, TurnKeys } from '../format/view.ts';
import { appendToHistory, writeRequest } from '../request/write-request.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { recallTurns } from '../turns/remember-turns.ts';
import { keysOf } from './hide-turn.ts';
import type { Speech } from './read-request.ts';

/** The request that goes upstream. */
export function editRequest(view: RequestView, plan: Plan, { hiddenTurns, rounds }: Past): Uint8Array {
  return writeRequest(view, [
    ...swapTools(view, plan, writeTool),
    ...putBack(view, hiddenTurns),
    ...appendToHistory(view, 'dialogue', rounds.flatMap(speechesOf)),
  ]);
}

/** The model's output in a round, and the results that it got. */
export function speechesOf({ turn, results }: Round): string[] {
  const answers = results.map((result) =>
    JSON.stringify({ who: 'tool', ticket: result.callId, words: resultText(result) }),
  );
  return [turn.message, ...answers];
}

function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ label: name, purpose: description, takes: parameters });
}

function putBack(view: RequestView, hiddenTurns: readonly HiddenTurn[]): Edit[] {
  return recalled(view, hiddenTurns).flatMap((hidden, index) => {
    if (hidden === undefined) return [];
    const { position } = view.turns[index]!;
    return [{ ...view.spans.history[position]!, text: [...hidden.before, hidden.message].join(',') }];
  });
}

/** The keys of the model's turns. */
export function historyKeys({ turns, history }: RequestView): TurnKeys[] {
  return turns.map(({ position }) => keysOf(history[position] as Speech));
}

/** For each of the model's turns, the hidden turns around it. */
export function recalled(view: RequestView, hiddenTurns: readonly HiddenTurn[]): (HiddenTurn | undefined)[] {
  const ours = hiddenTurns.filter(({ format }) => format === 'parley');
  return recallTurns(historyKeys(view), ours, (_, hidden) => hidden);
}
