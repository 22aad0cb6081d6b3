import { bridgeHistory } from '../bridge/bridge-history.ts';
import { resultTools } from '../bridge/defining-results.ts';
import type { AddedTool } from '../format/capabilities.ts';
import type { Past } from '../format/request-editor.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import type { Edit } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { writeOwnTools } from '../tools/own-tools.ts';
import { swapTools } from '../tools/swap-tools.ts';
import type { DeclaredTools } from '../turns/kept-result.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { restoreTurns } from './restore-turns.ts';
import { messagesOfRound } from './write-results.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export function editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array {
  const swapped = swapTools(view, plan, writeOwnTools(plan, writeTool));
  const declared = resultTools(view, plan, bridgeDialect);
  const edits = [
    ...(swapped === undefined ? [] : [swapped]),
    ...restoreTurns(view, past.hiddenTurns, declared),
    ...appendRounds(view, past.rounds, declared),
  ];
  return writeRequest(view, bridgeHistory(view, plan, past, { edits, dialect: bridgeDialect }));
}

/** Writes a tool of the proxy. */
export function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

function appendRounds(view: RequestView, rounds: readonly Round[], declared: DeclaredTools): Edit[] {
  if (rounds.length === 0) return [];
  const added = rounds.flatMap((round) => messagesOfRound(round, declared)).join(',');
  const { spans } = view;
  const last = spans.history.at(-1)?.end;
  const end = last ?? spans.members.get('messages')!.start + 1;
  return [{ start: end, end, text: last === undefined ? added : `,${added}` }];
}
