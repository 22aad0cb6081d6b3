import { type Edit, elementsOf, memberSpan, setMember, splice, textOf, valueStart } from '@winnow/core';
import { bridgeHistory } from '../bridge/bridge-history.ts';
import { resultTools } from '../bridge/found-definitions.ts';
import type { Past } from '../format/request-parts.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { appendToHistory, writeRequest } from '../request/write-request.ts';
import { restoreBlocks, resultsMessage } from '../turns/block-turns.ts';
import { keepResult } from '../turns/kept-result.ts';
import { bridgeDialect, editTools, markOfOpening, preloadTools, takeMark, withMark } from './edit-tools.ts';
import { dialect, mustNotThink, type ResultStyle, turns, writeResult } from './turns.ts';

/**
 * Returns the request to send upstream; the client's own bytes when there is no change.
 *
 * A token count is edited like the request that it counts for, so that the client's meter shows the tokens
 * really sent.
 */
export function editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array {
  return writeRequest(view, editsOf(view, plan, past));
}

/** Returns the edits for that request. */
export function editsOf(view: RequestView, plan: Plan, past: Past): readonly Edit[] {
  const { rounds, without } = past;
  const mayMark = !without?.has('marks');
  const style = {
    loadMode: plan.loadMode,
    declared: resultTools(view, plan, bridgeDialect),
    // With this member, the provider may clear results.
    referred: view.body.context_management === undefined ? new Set<string>() : undefined,
  };
  const edits = [
    ...editTools(view, plan),
    ...preloadTools(view, plan, {
      ...style,
      mark: rounds.length === 0 && mayMark ? markOfOpening(view) : undefined,
    }),
    ...restoreTurns(view, past, style),
    ...appendRounds(view, rounds, style, mayMark),
    ...carryContainer(view, rounds),
    ...keepSearches(view, plan),
    ...(plan.forbidsCalls ? [setMember(view.text, view.spans.root, 'tool_choice', '{"type":"none"}')] : []),
    ...(past.dropsThinking && mustNotThink(view) ? [stopThinking(view)] : []),
  ];
  return bridgeHistory(view, plan, past, { edits, dialect: bridgeDialect, turns });
}

/** Excludes searches from what the provider clears: their results hold the definitions of found tools. */
function keepSearches({ body, text, spans }: RequestView, { searchTool }: Plan): Edit[] {
  const management = spans.members.get('context_management');
  const edits = management && memberSpan(text, management.start, 'edits');
  if (searchTool === undefined || edits === undefined || text[edits.start] !== '[') return [];
  const read: readonly unknown[] = (body.context_management as { readonly edits: readonly unknown[] }).edits;
  return elementsOf(text, edits.start).flatMap((span, at) => {
    const edit = read[at];
    if (!isJsonObject(edit) || !String(edit.type).startsWith('clear_tool_uses')) return [];
    const own = Array.isArray(edit.exclude_tools) ? (edit.exclude_tools as readonly unknown[]) : [];
    return [setMember(text, span, 'exclude_tools', JSON.stringify([...own, searchTool.name]))];
  });
}

function stopThinking({ spans }: RequestView): Edit {
  return { ...spans.members.get('thinking')!, text: '{"type":"disabled"}' };
}

/**
 * Appends the assistant's turns unchanged, each followed by the results of its searches. Where tools stay the
 * same, the client's last cache mark moves to the end: otherwise found definitions would be paid as plain
 * input in this round, and written to the cache only by a later one.
 */
function appendRounds(
  view: RequestView,
  rounds: readonly Round[],
  style: ResultStyle,
  mayMark: boolean,
): Edit[] {
  if (rounds.length === 0) return [];
  const taken = style.loadMode === 'swap' || !mayMark ? undefined : takeMark(view);
  const messages = rounds.flatMap(({ turn, results }, at) => {
    const written = results.map((result) => writeResult(keepResult(result), style));
    const isMarked = at === rounds.length - 1;
    return [turn.message, resultsMessage(isMarked ? markLast(written, taken?.mark) : written)];
  });
  return [...(taken?.edits ?? []), ...appendToHistory(view, 'messages', messages)];
}

/** Returns these blocks with a cache mark, if there is one, on the last. */
function markLast(blocks: readonly string[], mark: string | undefined): string[] {
  return blocks.map((block, at) => (at === blocks.length - 1 ? withMark(block, mark) : block));
}

/**
 * A later round sees the files and variables of provider-run code only if it names the container of the
 * earlier round.
 */
function carryContainer({ text, body, spans }: RequestView, rounds: readonly Round[]): Edit[] {
  const container = rounds.findLast(({ turn }) => turn.state !== undefined)?.turn.state;
  const own = body.container;
  const isNamed = typeof own === 'string' || (isJsonObject(own) && typeof own.id === 'string');
  if (container === undefined || isNamed) return [];
  const id = JSON.stringify(container);
  // A client that asks for skills puts them in a container object, which then gets the id.
  if (isJsonObject(own)) return [setMember(text, spans.members.get('container')!, 'id', id)];
  return [setMember(text, spans.root, 'container', id)];
}

/** Returns the edits that put back every hidden turn whose visible part is unchanged in the history. */
function restoreTurns(view: RequestView, past: Past, style: ResultStyle): Edit[] {
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
