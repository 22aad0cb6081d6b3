import { createRequestEditor } from '../bridge/create-request-editor.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/preloaded-text.ts';
import type { Past } from '../format/request-editor.ts';
import type { RequestView, Round } from '../format/view.ts';
import { appendToHistory } from '../request/write-request.ts';
import { type KeptResult, keepResult } from '../turns/kept-result.ts';
import { restoreBlocks, resultsMessage } from '../turns/restore-blocks.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { cachePointOfRound, repeatedCachePoint } from './cache-point.ts';
import { editTools } from './edit-tools.ts';
import { dialect, turns } from './turns.ts';
import { writeResult } from './write-results.ts';

const TEXT: TextStyle = { writeText: (text) => `{"text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export const preloadForms = textForms(TEXT);

/** Returns the request to send upstream; the client's own bytes when there is no change. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past, declared }) => {
    const write = (result: KeptResult) => writeResult(result, declared);
    const isMarked = past.rounds.length > 0 && plan.loadMode !== 'swap';
    const marked = isMarked ? cachePointOfRound(view) : undefined;
    return [
      ...editTools(view, plan),
      ...appendDefinitions(view, plan, bridgeDialect, textStyle(view, past)),
      ...restoreBlocks(view, past, { dialect, turns, writeResult: write }),
      ...(marked?.edits ?? []),
      ...appendToHistory(view, 'messages', messagesOf(past.rounds, { write, point: marked?.point })),
    ];
  },
);

/** Returns the style of preloaded tools: in the first request of a conversation, they end with a cache point. */
function textStyle(view: RequestView, { rounds }: Past): TextStyle {
  const point = view.turns.length === 0 && rounds.length === 0 ? repeatedCachePoint(view) : undefined;
  return point === undefined ? TEXT : { ...TEXT, writeLast: (text) => `${TEXT.writeText(text)},${point}` };
}

interface RoundStyle {
  readonly write: (result: KeptResult) => string;
  /** The cache point at the end, if any. */
  readonly point: string | undefined;
}

/** Returns the assistant's turns unchanged, each followed by the results of its searches. */
function messagesOf(rounds: readonly Round[], { write, point }: RoundStyle): string[] {
  return rounds.flatMap(({ turn, results }, at) => [
    turn.message,
    resultsMessage([
      ...results.map((result) => write(keepResult(result))),
      ...(point !== undefined && at === rounds.length - 1 ? [point] : []),
    ]),
  ]);
}
