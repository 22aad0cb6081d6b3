import { type Edit, setMember, textOf } from '@winnow/core';
import type { HostedSearches } from '../../format/capabilities.ts';
import type { Past } from '../../format/request-parts.ts';
import type { Plan, RequestView, Round, SearchCall, SearchResult, ToolEntry } from '../../format/view.ts';
import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { writeRequest } from '../../request/write-request.ts';
import { declaredTools } from '../../turns/kept-result.ts';
import { defersByItself, isToolUse, readBlocks } from '../read-request.ts';
import { joinSearches } from './join-searches.ts';
import {
  BETA_HEADERS,
  changesTools,
  flattenReferences,
  flattenSearches,
  flattenTools,
  holdsSearches,
  isDeferred,
  removeBetas,
  withoutReferences,
} from './polyfill.ts';
import {
  hostedToolOf,
  isHostedCall,
  isHostedName,
  namesIn,
  queryOf,
  RESULT_TYPE,
  readCall,
  writeFunction,
  writeServerResult,
} from './search-blocks.ts';

/**
 * The searches that a request leaves to the vendor, for a server that does not support them. Functions
 * replace them, the proxy answers the functions, and the client sees the vendor's blocks. Undefined for a
 * request that has no such searches, now or in its history, and for one that functions cannot express: with
 * deferred toolsets or deferred vendor tools, with a function named like a search, or in a thread that the
 * provider keeps.
 *
 * The rounds of an exchange are written like the history that the client sends back, so that the next
 * request's prompt begins like the last prompt of this exchange.
 */
export function hostedSearches(view: RequestView): HostedSearches | undefined {
  const { tools, history, toolChoice, body } = view;
  const hosted = tools.flatMap((entry) => hostedToolOf(entry) ?? []);
  if (hosted.length === 0 && !history.some(holdsSearches)) return undefined;
  if (isJsonObject(body.thread) || history.some(changesTools) || tools.some(isBeyond)) return undefined;
  const deferred = new Set(tools.filter(isDeferred).map(({ name }) => name!));
  const shown = [...shownNames(history), ...toolChoice.names].filter((name) => deferred.has(name));
  const plan: Plan = {
    ...{ loadMode: 'swap', defer: [...deferred], load: [...new Set(shown)] },
    ...{ searchTool: undefined, offered: hosted.map(({ name }) => name), reason: 'polyfilled' },
  };
  return {
    plan,
    open: hosted.length > 0 ? openCalls(history) : [],
    removedHeaders: BETA_HEADERS,
    queryOf,
    answering: (results) => ({
      editing: {
        editRequest: (_, current, past) =>
          editRequest(view, current, { past, results, deferred: [...deferred] }),
      },
      joining: {
        joinResponses: (_, current, keep) =>
          joinSearches({
            view,
            plan: { ...current, defer: [], load: [], offered: undefined },
            ...{ keep, results, taken: hostedIds(history) },
          }),
      },
    }),
  };
}

/** Whether functions cannot express an entry. */
function isBeyond(entry: ToolEntry): boolean {
  if (hostedToolOf(entry) !== undefined) return false;
  return entry.kind === 'function' ? isHostedName(entry.name) : defersByItself(entry);
}

function hostedIds(history: readonly unknown[]): string[] {
  return history
    .flatMap(readBlocks)
    .filter(isHostedCall)
    .map(({ id }) => String(id));
}

interface HostedPast {
  readonly past: Pick<Past, 'rounds'>;
  /** Results of the searches that the history left open. */
  readonly results: readonly SearchResult[];
  /** Names of all deferred tools. */
  readonly deferred: readonly string[];
}

function editRequest(view: RequestView, plan: Plan, { past, results, deferred }: HostedPast): Uint8Array {
  const { rounds } = past;
  // A model that reached the search limit sees every tool and no search.
  const isOver = plan.offered === undefined;
  const tools = isOver ? view.tools.filter((entry) => hostedToolOf(entry) === undefined) : view.tools;
  const replace = (entry: ToolEntry) => {
    const tool = hostedToolOf(entry);
    return tool && withMark(writeFunction(tool, deferred), entry);
  };
  return writeRequest(view, [
    ...flattenTools({ ...view, tools }, isOver ? deferred : plan.load, replace),
    ...historyEdits(view, rounds, results),
    ...removeBetas(view),
    ...(rounds.length > 0 ? freeChoice(view) : []),
  ]);
}

function withMark(text: string, { definition }: ToolEntry): string {
  const mark = isJsonObject(definition) ? definition.cache_control : undefined;
  return isJsonObject(mark) ? `${text.slice(0, -1)},"cache_control":${JSON.stringify(mark)}}` : text;
}

/** Returns the edits that express all searches in the messages as function calls. */
function historyEdits(
  view: RequestView,
  rounds: readonly Round[],
  open: readonly SearchResult[],
): readonly Edit[] {
  if (rounds.length === 0 && !view.history.some(holdsSearches)) return flattenReferences(view).edits;
  const earlier = view.history.map((value, at) => ({
    value,
    text: withoutReferences(textOf(view.text, view.spans.history[at]!), value),
  }));
  const later = rounds.map(({ turn: { message } }) => ({
    value: JSON.parse(message) as unknown,
    text: message,
  }));
  const messages = [...earlier, ...later];
  const results = resultsIn(messages.map(({ value }) => value));
  for (const result of [...open, ...rounds.flatMap((round) => round.results)]) {
    results.set(result.callId, JSON.parse(writeServerResult(result)) as JsonObject);
  }
  const flat = flattenSearches(messages, { results, declared: declaredTools(view) });
  return [{ ...view.spans.members.get('messages')!, text: `[${flat.join(',')}]` }];
}

/** A forced search has happened: the model is free to choose its next step. */
function freeChoice({ text, spans, toolChoice }: RequestView): Edit[] {
  const isMade = toolChoice.names.some(isHostedName);
  return isMade ? [setMember(text, spans.root, 'tool_choice', '{"type":"auto"}')] : [];
}

/** Returns the results of hosted searches in a history, by the ids of their calls. */
function resultsIn(history: readonly unknown[]): Map<string, JsonObject> {
  const results = history.flatMap(readBlocks).filter(({ type }) => type === RESULT_TYPE);
  return new Map(results.map((block) => [String(block.tool_use_id), block]));
}

/**
 * Returns the names that a history shows, in order of first appearance: those that results refer to, and
 * those called. A tool may be called without a reference, because a model that reached the search limit sees
 * all tools.
 */
function shownNames(history: readonly unknown[]): Set<string> {
  const names = new Set<string>();
  for (const block of history.flatMap(readBlocks)) {
    if (isToolUse(block)) names.add(block.name);
    for (const name of [...namesIn(block), ...referencesIn(block)]) names.add(name);
  }
  return names;
}

function referencesIn({ type, content }: JsonObject): string[] {
  if (type !== 'tool_result') return [];
  return readBlocks({ content }).flatMap((part) =>
    part.type === 'tool_reference' ? [String(part.tool_name)] : [],
  );
}

/** Returns the calls of hosted searches in the last assistant turn that have no result yet. */
function openCalls(history: readonly unknown[]): SearchCall[] {
  const last = history.findLast((message) => isJsonObject(message) && message.role === 'assistant');
  const answered = resultsIn(history);
  return readBlocks(last).flatMap((block) =>
    isHostedCall(block) && !answered.has(String(block.id)) ? [readCall(block)] : [],
  );
}
