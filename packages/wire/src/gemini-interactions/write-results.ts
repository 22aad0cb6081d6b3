import { type JsonObject, objectsIn } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';
import { isFunctionCall } from './read-steps.ts';

/** Returns the steps of a turn, parsed. */
export function stepsIn(turn: string): JsonObject[] {
  return objectsIn(parseJson(turn));
}

/** Returns the steps that answer the searches of a turn, as JSON. `turn` is its list of steps. */
export function writeResults(
  turn: string,
  results: readonly KeptResult[],
  declared: DeclaredTools,
): string[] {
  const names = new Map(
    stepsIn(turn).flatMap((step) => (isFunctionCall(step) ? [[step.id, step.name]] : [])),
  );
  return results.map((result) => writeResult(result, names.get(result.callId), declared));
}

/** Returns the step that answers one search; `name` is the name of the called tool. */
export function writeResult(result: KeptResult, name: unknown, declared: DeclaredTools): string {
  return JSON.stringify({
    type: 'function_result',
    call_id: result.callId,
    ...(typeof name === 'string' && { name }),
    result: declared.textOf(result),
    ...(result.isError && { is_error: true }),
  });
}
