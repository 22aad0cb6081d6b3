import { appendDefinitions, isTextInput, type TextStyle, textForms } from '../bridge/preloaded-text.ts';
import type { LoadMode, Plan, PreloadForm, RequestView } from '../format/view.ts';
import type { Edit } from '../json/json-splice.ts';
import { firstMessage, preloadBy } from '../turns/first-message.ts';
import { preloadedSearch } from '../turns/preloaded-search.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { storedResponses } from './stored-responses.ts';
import { type ResultSource, writeResults } from './write-results.ts';

/** Returns the forms in which a request can bring preloaded tools. */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  const isContinued = storedResponses.previousId(view) !== undefined;
  if (loadMode === 'swap' || isContinued || firstMessage(view) === undefined) return [];
  if (loadMode === 'native') return ['search'];
  return isTextInput(view) ? ['text'] : textForms(TEXT)(view, loadMode);
}

const TEXT: TextStyle = { writeText: (text) => `{"type":"input_text","text":${text}}` };

/** Returns the edits that append the definitions of preloaded tools to the first message in a list. */
export function defineInMessage(view: RequestView, plan: Plan): Edit[] {
  return isTextInput(view) ? [] : appendDefinitions(view, plan, bridgeDialect, TEXT);
}

/**
 * Returns the items that bring the tools that a plan preloads: a search of the vendor's own kind, and its
 * output. Like all items that a client adds, they have no ids; no reasoning belongs to them.
 */
export function preloadedItems(plan: Plan, source: ResultSource): readonly string[] {
  const preload = preloadBy(plan, 'search');
  if (preload === undefined) return [];
  const { id, query, result } = preloadedSearch(preload.names, 'call_');
  const call = JSON.stringify({
    type: 'tool_search_call',
    call_id: id,
    execution: 'client',
    arguments: { query },
    status: 'completed',
  });
  return [call, ...writeResults(`[${call}]`, [result], source)];
}
