import type { Past } from '../format/request-editor.ts';
import type { RequestView } from '../format/view.ts';
import {
  type Edit,
  elementsOf,
  type JsonObject,
  memberSpan,
  setMember,
  splice,
  textOf,
  valueStart,
} from '../json/json-splice.ts';
import { restoreBlocks } from '../turns/restore-blocks.ts';
import { dialect, turns } from './turns.ts';
import { type ResultStyle, writeResult } from './write-results.ts';

/** Returns the edits that put back every hidden turn whose visible part is unchanged in the history. */
export function restoreTurns(view: RequestView, past: Past, style: ResultStyle): Edit[] {
  return restoreBlocks(view, past, {
    dialect,
    turns,
    writeResult: (result) => writeResult(result, style),
    carryMarks,
  });
}

/** Returns the original message, with the cache mark that the client set on its last block. */
function carryMarks(shown: string, message: string): string {
  const shownLast = lastBlock(shown);
  const mark = shownLast === undefined ? undefined : memberSpan(shown, shownLast.start, 'cache_control');
  const last = lastBlock(message);
  // Thinking may carry no mark.
  if (mark === undefined || last === undefined || isThinking(textOf(message, last))) return message;
  return splice(message, [setMember(message, last, 'cache_control', textOf(shown, mark))]);
}

function isThinking(block: string): boolean {
  return dialect.isThinking(JSON.parse(block) as JsonObject);
}

function lastBlock(message: string) {
  const content = memberSpan(message, valueStart(message), 'content');
  return content === undefined ? undefined : elementsOf(message, content.start).at(-1);
}
