import type { Round } from '../format/view.ts';
import { type JsonObject, textOrNone } from '../json/json-splice.ts';
import { type DeclaredTools, type KeptResult, keepResults } from '../turns/kept-result.ts';
import { callsOf, partsOf } from './read-contents.ts';

/**
 * Returns the contents of a round as JSON: the model's original content, then one with a result for each of
 * its searches.
 */
export function contentsOfRound(round: Round, declared: DeclaredTools): string[] {
  const { message } = round.turn;
  return [message, resultContent(message, keepResults(round), declared)];
}

/** Returns the content that answers the searches of a message, given as JSON. */
export function resultContent(
  message: string,
  results: readonly KeptResult[],
  declared: DeclaredTools,
): string {
  const parts = resultParts(message, results, declared).map(({ text }) => text);
  return `{"role":"user","parts":[${parts.join(',')}]}`;
}

/** The answer to one search, as JSON of a part. */
export interface ResultPart {
  readonly text: string;
  /** The number of the client's results before it: the provider wants results in the order of their calls. */
  readonly behind: number;
}

/**
 * Returns the results of a message's searches, in the order of its calls. A result has an id only if its call
 * has one.
 */
export function resultParts(
  message: string,
  results: readonly KeptResult[],
  declared: DeclaredTools,
): ResultPart[] {
  let behind = 0;
  return callsOf(partsOf(JSON.parse(message) as JsonObject)).flatMap(({ key, call }) => {
    const result = results.find(({ callId }) => callId === key);
    if (result === undefined) {
      behind += 1;
      return [];
    }
    const id = textOrNone(call.id);
    const response = { output: declared.textOf(result) };
    const functionResponse = { ...(id !== undefined && { id }), name: call.name, response };
    return [{ text: JSON.stringify({ functionResponse }), behind }];
  });
}
