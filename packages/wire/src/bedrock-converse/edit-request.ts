import { bridgeHistory } from '../bridge/bridge-history.ts';
import { resultTools } from '../bridge/defining-results.ts';
import type { Past } from '../format/request-editor.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import { appendElements, type Edit } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { type KeptResult, keepResult } from '../turns/kept-result.ts';
import { restoreBlocks, writeResults } from '../turns/restore-blocks.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editTools } from './edit-tools.ts';
import { dialect, turns } from './turns.ts';
import { writeResult } from './write-results.ts';

/** Returns the request to send upstream; the client's own bytes when there is no change. */
export function editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array {
  const declared = resultTools(view, plan, bridgeDialect);
  const write = (result: KeptResult) => writeResult(result, declared);
  const edits = [
    ...editTools(view, plan),
    ...restoreBlocks(view, past, { dialect, turns, writeResult: write }),
    ...appendRounds(view, past.rounds, write),
  ];
  return writeRequest(view, bridgeHistory(view, plan, past, { edits, dialect: bridgeDialect }));
}

/** Appends the assistant's turns unchanged, each followed by the results of its searches. */
function appendRounds(
  view: RequestView,
  rounds: readonly Round[],
  write: (result: KeptResult) => string,
): Edit[] {
  if (rounds.length === 0) return [];
  const messages = rounds.flatMap(({ turn, results }) => [
    turn.message,
    writeResults(results.map(keepResult), write),
  ]);
  return [appendElements(view.text, view.spans.members.get('messages')!, messages)];
}
