import type { Past } from '../format/request-editor.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import { appendElements, type Edit } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { declaredTools, keepResult } from '../turns/kept-result.ts';
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
