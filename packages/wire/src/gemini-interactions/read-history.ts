import type { RequestView, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
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
    turns: runsOf(steps).map(({ start, steps: run }) => ({ position: start, callIds: callIdsOf(run) })),
    calledNames,
    resultNames: [...resultNames],
    query: userTexts.findLast((text) => text.trim() !== '') ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}

/** Steps that follow each other and make one turn of the model. */
export interface Run {
  /** Where the first of them stands. */
  readonly start: VisibleTurn['position'];
  readonly steps: readonly JsonObject[];
}

/** The runs of steps that the model made. */
export function runsOf(steps: readonly unknown[]): Run[] {
  const runs: { start: number; steps: JsonObject[] }[] = [];
  steps.forEach((step, at) => {
    if (!isJsonObject(step) || !isOfModel(step)) return;
    const last = runs.at(-1);
    if (last !== undefined && last.start + last.steps.length === at) last.steps.push(step);
    else runs.push({ start: at, steps: [step] });
  });
  return runs;
}

/** Ids of the calls among these steps that the client has to answer, in order. */
export function callIdsOf(steps: readonly JsonObject[]): string[] {
  return steps.flatMap((step) => (isFunctionCall(step) ? (textOrNone(step.id) ?? []) : []));
}
