import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { type HistoryFacts, NamesInHistory } from '../request/names-in-history.ts';
import { visibleTurns } from '../turns/runs.ts';
import { isFunctionCall, isOfModel, isSpoken, resultsIn, wordsOf } from './read-steps.ts';

/** Reads the visible history once, in order. */
export function readHistory(steps: readonly unknown[]): HistoryFacts {
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  for (const step of steps) {
    if (isJsonObject(step) && isFunctionCall(step)) names.call(step.name, step.id);
    for (const { call_id: id, name } of resultsIn(step)) names.resultOf(id, textOrNone(name));
    if (isSpoken(step)) userTexts.push(wordsOf(step));
  }
  return { turns: visibleTurns(steps, isOfModel, callIdsOf), ...names.factsWith(userTexts) };
}

/** Returns the ids of the calls among these steps that the client has to answer, in order. */
export function callIdsOf(steps: readonly JsonObject[]): string[] {
  return steps.flatMap((step) => (isFunctionCall(step) ? (textOrNone(step.id) ?? []) : []));
}
