import type { JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type DeclaredTools, type KeptResult, keptText } from '../turns/kept-result.ts';
import { isFunctionCall, objectsIn } from './read-steps.ts';

/** The steps of a turn, parsed. */
export function stepsIn(turn: string): JsonObject[] {
  return objectsIn(parseJson(turn));
}

/** The steps that answer searches of a turn, which is the list of steps in which they stand, as JSON. */
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

/** The step that answers one search; `name` is that of the tool that was called. */
export function writeResult(result: KeptResult, name: unknown, declared: DeclaredTools): string {
  return JSON.stringify({
    type: 'function_result',
    call_id: result.callId,
    ...(typeof name === 'string' && { name }),
    result: keptText(result, declared),
    ...(result.isError && { is_error: true }),
  });
}
