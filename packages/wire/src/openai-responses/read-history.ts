import type { RequestView } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { NamesInHistory, wordsToSearch } from '../request/names-in-history.ts';
import { runsOf } from '../turns/runs.ts';
import { calledName, contentWords, isFunctionCall, isMessage, isOfModel } from './read-items.ts';

/** The facts about the conversation in a request's items. */
export type History = Pick<
  RequestView,
  'calledNames' | 'resultNames' | 'userTexts' | 'query' | 'firstUserText' | 'turns'
>;

/** Reads the visible history once, in order. */
export function readHistory(history: readonly unknown[]): History {
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  for (const item of history) {
    if (!isJsonObject(item)) continue;
    if (isFunctionCall(item)) names.call(calledName(item), item.call_id);
    else if (item.type === 'function_call_output') names.resultOf(item.call_id);
    else if (isMessage(item) && item.role === 'user') userTexts.push(contentWords(item.content));
  }
  return {
    turns: runsOf(history, isOfModel).map(({ start, items }) => ({
      position: start,
      callIds: callIdsOf(items),
    })),
    ...names.names(),
    ...wordsToSearch(userTexts),
  };
}

/** Returns the ids of the calls among these items that need a result, in order. */
export function callIdsOf(items: readonly JsonObject[]): string[] {
  return items.flatMap(({ type, call_id: id }) =>
    typeof id === 'string' && id !== '' && String(type).endsWith('_call') ? [id] : [],
  );
}
