import type { HostedSearches } from '../../format/capabilities.ts';
import type { Past } from '../../format/request-editor.ts';
import type { Plan, RequestView, Round, SearchResult, ToolEntry } from '../../format/view.ts';
import { type Edit, isJsonObject, type JsonObject, setMember, textOf } from '../../json/json-splice.ts';
import { writeRequest } from '../../request/write-request.ts';
import { declaredTools } from '../../turns/kept-result.ts';
import { readBlocks } from '../read-blocks.ts';
import { defersByItself } from '../read-tools.ts';
import { BETA_HEADERS, removeBetas } from './flat-betas.ts';
import { flattenReferences, withoutReferences } from './flat-references.ts';
import { flattenSearches, holdsSearches } from './flat-searches.ts';
import { flattenTools, isDeferred } from './flat-tools.ts';
import { openCalls, resultsIn, shownNames } from './hosted-history.ts';
import { hostedToolOf, isHostedCall, isHostedName, queryOf, writeFunction } from './hosted-tools.ts';
import { joinSearches } from './join-searches.ts';
import { changesTools } from './polyfill.ts';
import { writeServerResult } from './search-blocks.ts';

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
        joinResponses: (_, current, usageShown, keep) =>
          joinSearches({
            view,
            plan: { ...current, defer: [], load: [], offered: undefined },
            ...{ usageShown, keep, results, taken: hostedIds(history) },
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
