import { changeMembers, splice } from '@winnow/core';
import { createRequestEditor } from '../bridge/bridge-history.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/found-definitions.ts';
import type { AddedTool } from '../format/capabilities.ts';
import type { HiddenTurn, Round } from '../format/view.ts';
import { memberTexts } from '../json/json-members.ts';
import { type JsonObject, textOrNone } from '../json/json-value.ts';
import { appendToHistory } from '../request/write-request.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { type DeclaredTools, type KeptResult, keepResults } from '../turns/kept-result.ts';
import { restoreMessages } from '../turns/message-turns.ts';
import { type HiddenRound, hiddenRounds } from '../turns/remember-turns.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import {
  callId,
  callNames,
  callsOf,
  contentText,
  isMadeUpId,
  joinMessages,
  numberCall,
} from './read-request.ts';
import { turns } from './turns.ts';

/** The content of a message is always a text. */
const TEXT: TextStyle = { keepsText: true, writeText: (text) => text };

/** Returns the forms in which a request can bring preloaded tools. */
export const preloadForms = textForms(TEXT);

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past: { hiddenTurns, rounds }, declared }) => [
    ...swapTools(view, plan, writeTool),
    ...appendDefinitions(view, plan, bridgeDialect, TEXT),
    ...restoreMessages(view, hiddenTurns, {
      turns,
      restoreMessage,
      resultMessages: ({ message, results }) => resultMessages(results, message, declared),
    }),
    ...appendToHistory(
      view,
      'messages',
      rounds.flatMap((round) => messagesOfRound(round, declared)),
    ),
  ],
);

/** Writes a tool of the proxy. */
export function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

/**
 * Turns the client's copy of a visible message into the last message of its hidden turn. The texts of earlier
 * rounds are removed, because they are now in separate messages, and searches are put back among the calls.
 * Everything else stays as the client wrote it. Undefined when nothing remains.
 */
function restoreMessage(copyText: string, hidden: HiddenTurn): string | undefined {
  const { earlier, last } = hiddenRounds(hidden);
  const message = JSON.parse(last.message) as JsonObject;
  if (earlier.length > 0 && saysNothing(message)) return undefined;
  const copy = JSON.parse(copyText) as JsonObject;
  // The calls in it do not matter here.
  const said = [...earlier, last]
    .map((round) => JSON.parse(round.message) as JsonObject)
    .reduce(joinMessages);
  const repeatsThinking = copy.thinking === said.thinking && said.thinking !== message.thinking;
  const ownThinking = textOrNone(message.thinking);
  return splice(
    copyText,
    changeMembers(
      copyText,
      { start: 0, end: copyText.length },
      {
        ...(contentText(copy) !== contentText(message) && { content: JSON.stringify(contentText(message)) }),
        ...(repeatsThinking && { thinking: ownThinking && JSON.stringify(ownThinking) }),
        ...(last.results.length > 0 && { tool_calls: restoreCalls(copyText, last) }),
      },
    ),
  );
}

function saysNothing(message: JsonObject): boolean {
  return (
    contentText(message) === '' && textOrNone(message.thinking) === undefined && callsOf(message).length === 0
  );
}

/**
 * Returns the calls in the model's order: its searches in their original form, and the client's copies of the
 * others, which have the same order, renumbered.
 */
function restoreCalls(copyText: string, { message, results }: HiddenRound): string {
  const copied = memberTexts(copyText, 'tool_calls');
  const searches = new Set(results.map(({ callId: id }) => id));
  const calls = memberTexts(message, 'tool_calls').map((text, ordinal) =>
    searches.has(callId(JSON.parse(text) as JsonObject, ordinal))
      ? text
      : numberCall(copied.shift() ?? text, ordinal),
  );
  return `[${calls.join(',')}]`;
}

/**
 * Returns the messages of a round as JSON: the original assistant message, then one result for each of its
 * searches.
 */
function messagesOfRound(round: Round, declared: DeclaredTools): string[] {
  const { message } = round.turn;
  return [message, ...resultMessages(keepResults(round), message, declared)];
}

/**
 * Returns the messages that answer searches of this message. A result names its tool, and its call if that
 * has an id.
 */
function resultMessages(results: readonly KeptResult[], message: string, declared: DeclaredTools): string[] {
  const names = callNames(JSON.parse(message) as JsonObject);
  return results.map((result) =>
    JSON.stringify({
      role: 'tool',
      tool_name: names.get(result.callId),
      ...(!isMadeUpId(result.callId) && { tool_call_id: result.callId }),
      content: declared.textOf(result),
    }),
  );
}
