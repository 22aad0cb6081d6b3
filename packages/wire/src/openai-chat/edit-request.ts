import { SEARCH_PARAMETERS } from '../describe-search-tool.ts';
import type { Past } from '../format.ts';
import { type Edit, isJsonObject, setMember } from '../json-splice.ts';
import { declaredTools } from '../kept-result.ts';
import { swapTools } from '../swap-tools.ts';
import type { Plan, RequestView, Round, SearchTool } from '../view.ts';
import { writeRequest } from '../write-request.ts';
import { restoreTurns } from './restore-turns.ts';
import { messagesOfRound } from './write-results.ts';

/** The request that goes upstream; `view.bytes.whole` itself when there is nothing to edit. */
export function editRequest(view: RequestView, plan: Plan, { hiddenTurns, rounds }: Past): Uint8Array {
  const edits = [
    ...editTools(view, plan),
    ...restoreTurns(view, hiddenTurns),
    ...appendRounds(view, rounds),
    ...(plan.searchTool !== undefined || rounds.length > 0 ? askForUsage(view) : []),
  ];
  return writeRequest(view, edits);
}

function editTools(view: RequestView, plan: Plan): Edit[] {
  const edit = swapTools(view, plan, plan.searchTool && writeSearchTool(plan.searchTool));
  return edit === undefined ? [] : [edit];
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
  // The places are known, so that a large body is not looked through again.
  const { spans } = view;
  const last = spans.history.at(-1)?.end;
  const end = last ?? spans.members.get('messages')!.start + 1;
  return [{ start: end, end, text: last === undefined ? added : `,${added}` }];
}

/** Usage can be summed over rounds only when every round says its own. */
function askForUsage({ isStream, wantsUsage, body, text, spans }: RequestView): Edit[] {
  if (!isStream || wantsUsage) return [];
  const options = spans.members.get('stream_options');
  if (options === undefined) {
    const end = Math.max(...[...spans.members.values()].map((member) => member.end));
    return [{ start: end, end, text: `,"stream_options":${USAGE_OPTIONS}` }];
  }
  if (!isJsonObject(body.stream_options)) return [{ ...options, text: USAGE_OPTIONS }];
  return [setMember(text, options, 'include_usage', 'true')];
}

const USAGE_OPTIONS = '{"include_usage":true}';
