import type { Polyfilled } from '../../format/polyfilled.ts';
import type { RequestView, ToolEntry } from '../../format/view.ts';
import { changeMembers, type Edit, isJsonObject, objectsIn, textOrNone } from '../../json/json-splice.ts';
import { type SectionEdit, writeRequest, writtenText } from '../../request/write-request.ts';
import { isNamespace } from '../read-tools.ts';
import { flattenChoice } from './flat-choice.ts';
import { bringsTools, flattenHistory } from './flat-items.ts';
import { FlatNames } from './flat-names.ts';
import { type FlatTool, flattenTools, isClientSearch } from './flat-tools.ts';
import { createRewriter } from './rewrite-response.ts';

/**
 * Rewrites the request of a client that defers tools itself, for a server that supports neither `namespace`
 * nor `tool_search` nor `defer_loading`; undefined for a request that uses none of them.
 *
 * The tools that the client's searches have loaded follow its declared tools, each once, in order of first
 * appearance. If the client runs a search, other deferred tools are left out until it loads them; otherwise
 * they are shown, because nothing could load them.
 */
export function polyfill(view: RequestView): Polyfilled | undefined {
  const { toolSection: section, history, body, purpose } = view;
  const declared: readonly unknown[] = Array.isArray(section?.value) ? section.value : [];
  const isSpecial =
    declared.some(isOfDeferral) || (section?.entries ?? []).some(isMarked) || history.some(isOfLoading);
  if (!isSpecial) return undefined;

  const lone = new Set([...declared, ...history.flatMap(toolsIn)].flatMap(loneName));
  const isLone = (name: string) => lone.has(name);
  const names = new FlatNames(lone);
  const own = section === undefined ? [] : flattenTools(section, names);
  const { items, loaded } = flattenHistory(view, names, isLone);
  const shown = declared.some(isClientSearch) ? own.filter(({ isDeferred }) => !isDeferred) : own;
  const tools = `[${[...shown, ...newOf(loaded, shown)].map(({ text }) => text).join(',')}]`;
  const choice = flattenChoice(body.tool_choice, names, isLone);
  return {
    body: writeRequest(view, [
      ...toolsEdit(view, tools),
      ...(items === undefined ? [] : historyEdit(view, items)),
      ...(choice === undefined ? [] : [{ ...view.spans.members.get('tool_choice')!, text: choice }]),
    ]),
    removedHeaders: [],
    rewriter: purpose === 'answer' ? () => createRewriter(view, names) : undefined,
  };
}

/** Returns the loaded tools that are not shown, each once. */
function newOf(loaded: readonly FlatTool[], shown: readonly FlatTool[]): FlatTool[] {
  const seen = new Set(shown.map(({ name }) => name));
  return loaded.filter(({ name }) => {
    if (name === undefined || seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function toolsEdit({ text, spans, toolSection }: RequestView, tools: string): (Edit | SectionEdit)[] {
  if (spans.tools !== undefined && toolSection !== undefined) {
    return tools === toolSection.text ? [] : [{ ...spans.tools, ...writtenText(tools) }];
  }
  return tools === '[]' ? [] : changeMembers(text, spans.root, { tools });
}

function historyEdit({ spans: { history } }: RequestView, items: readonly string[]): Edit[] {
  return [{ start: history[0]!.start, end: history.at(-1)!.end, text: items.join(',') }];
}

function isOfDeferral(tool: unknown): boolean {
  return isNamespace(tool) || (isJsonObject(tool) && tool.type === 'tool_search');
}

function isMarked({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && 'defer_loading' in definition;
}

/** Whether only an upstream with deferred tools accepts an item. */
function isOfLoading(item: unknown): boolean {
  if (!isJsonObject(item)) return false;
  const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
  return item.type === 'tool_search_call' || bringsTools(item) || (isCall && 'namespace' in item);
}

function toolsIn(item: unknown): readonly unknown[] {
  return isJsonObject(item) && bringsTools(item) ? objectsIn(item.tools) : [];
}

/** Returns the name of a tool outside all namespaces. */
function loneName(tool: unknown): string[] {
  if (!isJsonObject(tool) || isNamespace(tool)) return [];
  const name = textOrNone(tool.name);
  return name === undefined ? [] : [name];
}
