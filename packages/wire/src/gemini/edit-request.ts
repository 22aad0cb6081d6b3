import type { Past } from '../format/request-editor.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import type { Edit } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { declaredTools } from '../turns/kept-result.ts';
import { restoreTurns } from './restore-turns.ts';
import { signCalls } from './sign-calls.ts';
import { contentsOfRound } from './write-results.ts';
import { writeSearchTool } from './write-search-tool.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export function editRequest(
  view: RequestView,
  plan: Plan,
  { hiddenTurns, rounds, dropsThinking: replaces = false }: Past,
): Uint8Array {
  const { edits, restored } = restoreTurns(view, hiddenTurns);
  return writeRequest(view, [
    ...editTools(view, plan),
    ...edits,
    ...(!hidesCalls(plan) && !replaces ? [] : signCalls(view, { restored, replaces })),
    ...appendRounds(view, rounds),
  ]);
}

function editTools(view: RequestView, plan: Plan): Edit[] {
  const { toolSection } = view;
  const searchTool = plan.searchTool && toolSection && writeSearchTool(plan.searchTool, toolSection);
  const edit = swapTools(view, plan, searchTool);
  return edit === undefined ? [] : [edit];
}

function appendRounds(view: RequestView, rounds: readonly Round[]): Edit[] {
  if (rounds.length === 0) return [];
  const declared = declaredTools(view);
  const added = rounds.flatMap((round) => contentsOfRound(round, declared)).join(',');
  const { spans } = view;
  const last = spans.history.at(-1)?.end;
  const end = last ?? spans.members.get('contents')!.start + 1;
  return [{ start: end, end, text: last === undefined ? added : `,${added}` }];
}
