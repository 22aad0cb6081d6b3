import { createRequestEditor } from '../bridge/create-request-editor.ts';
import type { RequestView } from '../format/view.ts';
import { type Edit, isJsonObject, setMember } from '../json/json-splice.ts';
import { appendToHistory } from '../request/write-request.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { restoreMessages } from '../turns/message-turns.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editTools } from './edit-tools.ts';
import { preloadTools } from './preload.ts';
import { restoreMessage } from './restore-message.ts';
import { turns } from './turns.ts';
import { messagesOfRound, resultMessages } from './write-results.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past: { hiddenTurns, rounds }, declared }) => {
    const style = { loadMode: plan.loadMode, declared };
    return [
      ...editTools(view, plan),
      ...preloadTools(view, plan, style),
      ...restoreMessages(view, hiddenTurns, {
        turns,
        restoreMessage,
        resultMessages: ({ results }) => resultMessages(results, style),
      }),
      ...appendToHistory(
        view,
        'messages',
        rounds.flatMap((round) => messagesOfRound(round, style)),
      ),
      ...(hidesCalls(plan) || rounds.length > 0 ? askForUsage(view) : []),
      ...(plan.forbidsCalls ? [setMember(view.text, view.spans.root, 'tool_choice', '"none"')] : []),
    ];
  },
);

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
