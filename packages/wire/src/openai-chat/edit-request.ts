import { bridgeHistory } from '../bridge/bridge-history.ts';
import { resultTools } from '../bridge/defining-results.ts';
import type { Past } from '../format/request-editor.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import { type Edit, isJsonObject, setMember } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editTools } from './edit-tools.ts';
import { preloadTools } from './preload.ts';
import { restoreTurns } from './restore-turns.ts';
import { turns } from './turns.ts';
import { messagesOfRound, type ResultStyle } from './write-results.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export function editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array {
  const { hiddenTurns, rounds } = past;
  const style = { loadMode: plan.loadMode, declared: resultTools(view, plan, bridgeDialect) };
  const edits = [
    ...editTools(view, plan),
    ...preloadTools(view, plan, style),
    ...restoreTurns(view, hiddenTurns, style),
    ...appendRounds(view, rounds, style),
    ...(hidesCalls(plan) || rounds.length > 0 ? askForUsage(view) : []),
    ...(plan.forbidsCalls ? [setMember(view.text, view.spans.root, 'tool_choice', '"none"')] : []),
  ];
  return writeRequest(view, bridgeHistory(view, plan, past, { edits, dialect: bridgeDialect, turns }));
}

function appendRounds(view: RequestView, rounds: readonly Round[], style: ResultStyle): Edit[] {
  if (rounds.length === 0) return [];
  const added = rounds.flatMap((round) => messagesOfRound(round, style)).join(',');
  // The positions are known, so a large body is not scanned again.
  const { spans } = view;
  const last = spans.history.at(-1)?.end;
  const end = last ?? spans.members.get('messages')!.start + 1;
  return [{ start: end, end, text: last === undefined ? added : `,${added}` }];
}

/** Requests the usage of every round, because a sum over rounds needs all of them. */
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
