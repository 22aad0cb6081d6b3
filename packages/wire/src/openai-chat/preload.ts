import { appendDefinitions, type TextStyle, textForms } from '../bridge/preloaded-text.ts';
import type { LoadMode, Plan, PreloadForm, RequestView } from '../format/view.ts';
import type { Edit } from '../json/json-splice.ts';
import { endOfOpening, firstMessage, insertBehind, preloadBy } from '../turns/first-message.ts';
import { preloadedSearch } from '../turns/preloaded-search.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { type ResultStyle, resultMessages } from './write-results.ts';

/** Some servers take nothing but a text for the content of a message. */
const TEXT: TextStyle = { keepsText: true, writeText: (text) => `{"type":"text","text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  if (loadMode !== 'native') return textForms(TEXT)(view, loadMode);
  return firstMessage(view) === undefined ? [] : ['search'];
}

/** Returns the edits that bring the tools that a plan preloads. */
export function preloadTools(view: RequestView, plan: Plan, style: ResultStyle): Edit[] {
  const end = endOfOpening(view);
  const preload = preloadBy(plan, 'search');
  if (preload === undefined || plan.searchTool === undefined || end === undefined) {
    return appendDefinitions(view, plan, bridgeDialect, TEXT);
  }
  return [insertBehind(view, end, searchFor(preload.names, plan.searchTool.name, style))];
}

function searchFor(names: readonly string[], searchToolName: string, style: ResultStyle): string[] {
  const { id, query, result } = preloadedSearch(names, 'call_');
  const called = { name: searchToolName, arguments: JSON.stringify({ query }) };
  const call = { id, type: 'function', function: called };
  return [
    JSON.stringify({ role: 'assistant', content: null, tool_calls: [call] }),
    ...resultMessages([result], style),
  ];
}
