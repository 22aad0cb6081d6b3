import { createRequestEditor } from '../bridge/create-request-editor.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/preloaded-text.ts';
import type { AddedTool } from '../format/capabilities.ts';
import { appendToHistory } from '../request/write-request.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { restoreMessages } from '../turns/message-turns.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { restoreMessage } from './restore-message.ts';
import { turns } from './turns.ts';
import { messagesOfRound, resultMessages } from './write-results.ts';

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
