import type { RequestView } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { runsOf } from '../turns/runs.ts';
import { isFunctionCall, isOfModel, isSpoken, resultsIn, textOrNone, wordsOf } from './read-steps.ts';

/** What a request's steps say about the conversation so far. */
export type History = Pick<RequestView, 'calledNames' | 'resultNames' | 'query' | 'firstUserText' | 'turns'>;

/** Reads the visible history once, in order. */
export function readHistory(steps: readonly unknown[]): History {
  const nameOfCall = new Map<unknown, string>();
  const calledNames = new Set<string>();
  const resultNames = new Set<string>();
  const userTexts: string[] = [];
  for (const step of steps) {
    if (isJsonObject(step) && isFunctionCall(step)) {
      nameOfCall.set(step.id, step.name);
      calledNames.add(step.name);
    }
    for (const { call_id: id, name: own } of resultsIn(step)) {
      const name = nameOfCall.get(id) ?? textOrNone(own);
      if (name === undefined) continue;
      // Deleted first, so that the latest result stands last.
      resultNames.delete(name);
      resultNames.add(name);
    }
    if (isSpoken(step)) userTexts.push(wordsOf(step));
  }
  return {
    turns: runsOf(steps, isOfModel).map(({ start, items }) => ({
      position: start,
      callIds: callIdsOf(items),
    })),
    calledNames,
    resultNames: [...resultNames],
    query: userTexts.findLast((text) => text.trim() !== '') ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}

/** Ids of the calls among these steps that the client has to answer, in order. */
export function callIdsOf(steps: readonly JsonObject[]): string[] {
  return steps.flatMap((step) => (isFunctionCall(step) ? (textOrNone(step.id) ?? []) : []));
}
