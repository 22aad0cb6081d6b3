import type { Past } from '../format.ts';
import { appendElements, type Edit } from '../json-splice.ts';
import { declaredTools, keepResult } from '../kept-result.ts';
import type { Plan, RequestView, Round } from '../view.ts';
import { writeRequest } from '../write-request.ts';
import { editTools } from './edit-tools.ts';
import { restoreTurns } from './restore-turns.ts';
import { writeResults } from './write-results.ts';

/** The request that goes upstream. Without anything to change it is the client's own bytes. */
export function editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array {
  return writeRequest(view, [
    ...editTools(view, plan),
    ...restoreTurns(view, past),
    ...appendRounds(view, past.rounds),
  ]);
}

/** The assistant's turns as they came, each followed by the answers to its searches. */
function appendRounds(view: RequestView, rounds: readonly Round[]): Edit[] {
  if (rounds.length === 0) return [];
  const declared = declaredTools(view);
  const messages = rounds.flatMap(({ turn, results }) => [
    turn.message,
    writeResults(results.map(keepResult), declared),
  ]);
  return [appendElements(view.text, view.spans.members.get('messages')!, messages)];
}
