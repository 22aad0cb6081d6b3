import type { RequestView, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { calledName, contentWords, isFunctionCall, isMessage, isOfModel } from './read-items.ts';

/** What a request's items say about the conversation so far. */
export type History = Pick<RequestView, 'calledNames' | 'resultNames' | 'query' | 'firstUserText' | 'turns'>;

/** Reads the visible history once, in order. */
export function readHistory(items: readonly unknown[]): History {
  const nameOfCall = new Map<unknown, string>();
  const calledNames = new Set<string>();
  const resultNames = new Set<string>();
  const userTexts: string[] = [];
  for (const item of items) {
    if (!isJsonObject(item)) continue;
    if (isFunctionCall(item)) {
      nameOfCall.set(item.call_id, calledName(item));
      calledNames.add(calledName(item));
    } else if (item.type === 'function_call_output') {
      const name = nameOfCall.get(item.call_id);
      if (name === undefined) continue;
      // Deleted first, so that the latest result stands last.
      resultNames.delete(name);
      resultNames.add(name);
    } else if (isMessage(item) && item.role === 'user') userTexts.push(contentWords(item.content));
  }
  return {
    turns: runsOf(items).map(toTurn),
    calledNames,
    resultNames: [...resultNames],
    query: userTexts.findLast((text) => text.trim() !== '') ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}

/** Items that follow each other and make one turn of the model. */
export interface Run {
  readonly start: number;
  readonly items: readonly JsonObject[];
}

/** The runs of items that the model made. */
export function runsOf(items: readonly unknown[]): Run[] {
  const runs: { start: number; items: JsonObject[] }[] = [];
  items.forEach((item, at) => {
    if (!isOfModel(item)) return;
    const last = runs.at(-1);
    if (last !== undefined && last.start + last.items.length === at) last.items.push(item);
    else runs.push({ start: at, items: [item] });
  });
  return runs;
}

function toTurn({ start, items }: Run): VisibleTurn {
  return { position: start, callIds: callIdsOf(items) };
}

/** Ids of the calls among these items that somebody has to answer, in order. */
export function callIdsOf(items: readonly JsonObject[]): string[] {
  return items.flatMap(({ type, call_id: id }) =>
    typeof id === 'string' && id !== '' && String(type).endsWith('_call') ? [id] : [],
  );
}
