import { SEARCH_PARAMETERS } from '@winnow/text';
import type { Past } from '../format/request-editor.ts';
import type { Plan, RequestView, Round, SearchTool } from '../format/view.ts';
import type { Edit } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { declaredTools } from '../turns/kept-result.ts';
import { restoreTurns } from './restore-turns.ts';
import { messagesOfRound } from './write-results.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export function editRequest(view: RequestView, plan: Plan, { hiddenTurns, rounds }: Past): Uint8Array {
  const swapped = swapTools(view, plan, plan.searchTool && writeSearchTool(plan.searchTool));
  return writeRequest(view, [
    ...(swapped === undefined ? [] : [swapped]),
    ...restoreTurns(view, hiddenTurns),
    ...appendRounds(view, rounds),
  ]);
}

function writeSearchTool({ name, description }: SearchTool): string {
  return JSON.stringify({
    type: 'function',
    function: { name, description, parameters: SEARCH_PARAMETERS },
  });
}

function appendRounds(view: RequestView, rounds: readonly Round[]): Edit[] {
  if (rounds.length === 0) return [];
  const declared = declaredTools(view);
  const added = rounds.flatMap((round) => messagesOfRound(round, declared)).join(',');
  const { spans } = view;
  const last = spans.history.at(-1)?.end;
  const end = last ?? spans.members.get('messages')!.start + 1;
  return [{ start: end, end, text: last === undefined ? added : `,${added}` }];
}
