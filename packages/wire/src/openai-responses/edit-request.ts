import { type Edit, setMember } from '@winnow/core';
import { createRequestEditor } from '../bridge/bridge-history.ts';
import {
  appendDefinitions,
  inputText,
  isTextInput,
  type TextStyle,
  textForms,
} from '../bridge/found-definitions.ts';
import type { HiddenTurn, LoadMode, Plan, PreloadForm, RequestView, Round } from '../format/view.ts';
import { textOrNone } from '../json/json-value.ts';
import { surroundInput } from '../request/write-request.ts';
import { goOnFrom, storedById } from '../stored/stored-by-id.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { type KeptResult, keepResults } from '../turns/kept-result.ts';
import { endOfOpening, firstMessage, insertBehind, preloadBy, preloadedSearch } from '../turns/preload.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import { elementTexts } from '../turns/visible-form.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editTools, nativeSearches, type ResultSource, writeResults } from './edit-tools.ts';
import { calledName, isFunctionCall, isNamespace } from './read-request.ts';
import { restoreTurns, turns } from './turns.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past, declared }) => {
    const source = { section: view.toolSection, declared };
    const mending = {
      // The last of many rounds shows all tools, but the history that earlier rounds sent must stay the same.
      mayBeLost: hidesCalls(plan) || past.rounds.length > 0,
      dropsThinking: past.dropsThinking ?? false,
    };
    const front = past.alias === undefined ? [] : pendingResults(past.alias.results, source);
    // Results are written in their order: a tool is defined in the first one that names it.
    const preloaded = preloadedItems(plan, source);
    const restored = restoreTurns(view, past.hiddenTurns, source, mending);
    const rounds = past.rounds.flatMap((round) => itemsOfRound(round, source));
    const end = endOfOpening(view);
    const isLast = end === view.history.length - 1;
    return [
      ...editTools(view, plan, plan.loadMode === 'native' ? namesIn(past.hiddenTurns) : []),
      ...restored,
      ...goOnFrom(view, 'previous_response_id', past.alias?.rounds.at(-1)),
      ...(preloaded.length === 0 || end === undefined || isLast ? [] : [insertBehind(view, end, preloaded)]),
      ...defineInMessage(view, plan),
      ...surroundInput(view, {
        front,
        back: isLast ? [...preloaded, ...rounds] : rounds,
        ownText: inputText(view, plan, bridgeDialect),
        asElement: (own) => `{"role":"user","content":${own}}`,
      }),
      // The tools stay the same, so that the prompt is still cached.
      ...(plan.forbidsCalls ? [setMember(view.text, view.spans.root, 'tool_choice', '"none"')] : []),
    ];
  },
);

/** Returns the names in the results of hidden turns. */
function namesIn(hiddenTurns: readonly HiddenTurn[]): string[] {
  return hiddenTurns.flatMap((hidden) => {
    const { earlier, last } = hiddenRounds(hidden);
    return [...earlier, last].flatMap(({ results }) => results.flatMap(({ names }) => names));
  });
}

/**
 * Returns the results of searches that came together with real calls. The client brings the other results in
 * this request.
 */
function pendingResults(results: readonly string[], source: ResultSource): string[] {
  return results.flatMap((text) => {
    const { isNative, ...result } = JSON.parse(text) as KeptResult & { readonly isNative: boolean };
    const call = { type: isNative ? 'tool_search_call' : 'function_call', call_id: result.callId };
    return writeResults(JSON.stringify([call]), [result], source);
  });
}

/** Returns the model's original items, followed by the results of its searches. */
function itemsOfRound(round: Round, source: ResultSource): string[] {
  const { message } = round.turn;
  return [...elementTexts(message), ...writeResults(message, keepResults(round), source)];
}

/** Returns the forms in which a request can bring preloaded tools. */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  const isContinued = storedResponses.previousId(view) !== undefined;
  if (loadMode === 'swap' || isContinued || firstMessage(view) === undefined) return [];
  if (loadMode === 'native') return ['search'];
  return isTextInput(view) ? ['text'] : textForms(TEXT)(view, loadMode);
}

const TEXT: TextStyle = { writeText: (text) => `{"type":"input_text","text":${text}}` };

/** Returns the edits that append the definitions of preloaded tools to the first message in a list. */
function defineInMessage(view: RequestView, plan: Plan): Edit[] {
  return isTextInput(view) ? [] : appendDefinitions(view, plan, bridgeDialect, TEXT);
}

/**
 * Returns the items that bring the tools that a plan preloads: a search of the vendor's own kind, and its
 * output. Like all items that a client adds, they have no ids; no reasoning belongs to them.
 */
function preloadedItems(plan: Plan, source: ResultSource): readonly string[] {
  const preload = preloadBy(plan, 'search');
  if (preload === undefined) return [];
  const { id, queries, result } = preloadedSearch(preload.names, 'call_');
  const call = JSON.stringify({
    type: 'tool_search_call',
    call_id: id,
    execution: 'client',
    arguments: { queries },
    status: 'completed',
  });
  return [call, ...writeResults(`[${call}]`, [result], source)];
}

/** Responses that OpenAI stores for 30 days, unless `store` is false. */
export const storedResponses = {
  ...storedById({
    previous: 'previous_response_id',
    byId: /^(?<before>.*\/responses\/)(?<id>[^/]+)(?<behind>\/cancel|\/input_items)?\/?$/,
    actions: [['GET /input_items', 'input_items']],
    lists: ['output', 'data'],
    keepResult: (result, { message }) => ({
      ...result,
      isNative: nativeSearches(message).has(result.callId),
    }),
    calls: {
      namespacesIn: ({ body }) =>
        Array.isArray(body.tools) ? body.tools.filter(isNamespace).map(({ name }) => name) : [],
      read: (item) =>
        isFunctionCall(item) ? { id: item.call_id, arguments: textOrNone(item.arguments) ?? '' } : undefined,
      write: (given) => JSON.stringify(given),
    },
    isHiddenTool: ({ name, type, execution }, hidden) =>
      hidden.has(name) || (type === 'tool_search' && execution === 'client'),
    hiddenCallOf: (item, hidden) => {
      const isClientSearch = item.type === 'tool_search_call' && item.execution === 'client';
      const isHidden =
        isClientSearch || (isFunctionCall(item) && hidden.meantBy(calledName(item)) !== undefined);
      return isHidden ? (item.call_id ?? NO_ID) : undefined;
    },
    isHiddenResult: ({ call_id: id }, _, calls) => id !== undefined && calls.has(id),
  }),
};

/** The key of a call without an id. */
const NO_ID = Symbol('no id');
