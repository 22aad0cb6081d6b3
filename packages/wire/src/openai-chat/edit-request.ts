import { SEARCH_PARAMETERS } from '../describe-search-tool.ts';
import type { Past } from '../format.ts';
import { appendElements, type Edit, isJsonObject, setMember, splice } from '../json-splice.ts';
import { swapTools } from '../swap-tools.ts';
import type { Plan, RequestView, Round, SearchTool } from '../view.ts';
import { messagesOfRound } from './continue-request.ts';
import { putBackTurns } from './put-back-turns.ts';

/** The request that goes upstream; `view.bytes` itself when there is nothing to edit. */
export function editRequest(view: RequestView, plan: Plan, { hiddenTurns, rounds }: Past): Uint8Array {
  const edits = [
    ...editTools(view, plan),
    ...putBackTurns(view, hiddenTurns),
    ...appendRounds(view, rounds),
    ...(plan.searchTool !== undefined || rounds.length > 0 ? askForUsage(view) : []),
  ];
  return edits.length === 0 ? view.bytes : new TextEncoder().encode(splice(view.text, edits));
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
  return [appendElements(view.text, view.spans.members.get('messages')!, rounds.flatMap(messagesOfRound))];
}

/** Usage can be summed over rounds only when every round says its own. */
function askForUsage({ isStream, wantsUsage, body, text, spans }: RequestView): Edit[] {
  if (!isStream || wantsUsage) return [];
  const options = spans.members.get('stream_options');
  const isObject = options !== undefined && isJsonObject(body.stream_options);
  if (isObject) return [setMember(text, options, 'include_usage', 'true')];
  return [setMember(text, spans.root, 'stream_options', '{"include_usage":true}')];
}
