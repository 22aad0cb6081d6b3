import type { Past } from '../format.ts';
import { appendElements, type Edit, splice } from '../json-splice.ts';
import type { Plan, RequestView, Round } from '../view.ts';
import { editTools } from './edit-tools.ts';
import { restoreTurns } from './restore-turns.ts';
import { keepResult, type ResultStyle, referencedNames, resultStyle, writeResults } from './write-results.ts';

/**
 * The request that goes upstream. Without anything to change it is the client's own bytes.
 *
 * A count of tokens is edited like the request that it counts for, so that the client's meter shows what is sent.
 */
export function editRequest(view: RequestView, plan: Plan, { hiddenTurns, rounds }: Past): Uint8Array {
  const style = resultStyle(view, plan.loadMode);
  const restoration = restoreTurns(view, hiddenTurns, style);
  const answered = rounds.flatMap(({ results }) => results.map(keepResult));
  const referenced = answered.flatMap((result) => referencedNames(result, style));
  const edits = [
    ...editTools(view, plan, new Set([...restoration.referencedNames, ...referenced])),
    ...restoration.edits,
    ...appendRounds(view, rounds, style),
  ];
  return edits.length === 0 ? view.bytes : new TextEncoder().encode(splice(view.text, edits));
}

/** The assistant's turns as they came, each followed by the answers to its searches. */
function appendRounds(view: RequestView, rounds: readonly Round[], style: ResultStyle): Edit[] {
  if (rounds.length === 0) return [];
  const messages = rounds.flatMap(({ turn, results }) => [
    turn.message,
    writeResults(results.map(keepResult), style),
  ]);
  return [appendElements(view.text, view.spans.members.get('messages')!, messages)];
}
