import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { type HistoryFacts, NamesInHistory } from '../request/names-in-history.ts';
import { visibleTurns } from '../turns/runs.ts';
import { calledName, contentWords, isFunctionCall, isMessage, isOfModel } from './read-items.ts';

/** Reads the visible history once, in order. */
export function readHistory(history: readonly unknown[]): HistoryFacts {
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  for (const item of history) {
    if (!isJsonObject(item)) continue;
    if (isFunctionCall(item)) names.call(calledName(item), item.call_id);
    else if (item.type === 'function_call_output') names.resultOf(item.call_id);
    else if (isMessage(item) && item.role === 'user') userTexts.push(contentWords(item.content));
  }
  return { turns: visibleTurns(history, isOfModel, callIdsOf), ...names.factsWith(userTexts) };
}

/** Returns the ids of the calls among these items that need a result, in order. */
export function callIdsOf(items: readonly JsonObject[]): string[] {
  return items.flatMap(({ type, call_id: id }) =>
    typeof id === 'string' && id !== '' && String(type).endsWith('_call') ? [id] : [],
  );
}
