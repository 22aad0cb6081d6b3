import { type BypassReason, memberSpan } from '@winnow/core';
import type { ToolChoice, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader, type RequestBody } from '../request/read-body.ts';
import {
  contentWords,
  type HistoryFacts,
  hintsIn,
  NamesInHistory,
  readOpening,
} from '../request/read-history.ts';
import { type EntryFacts, entryFacts, readEntries } from '../request/tool-entries.ts';
import { visibleTurns } from '../turns/visible-form.ts';

const readBody = createBodyReader({
  history: 'input',
  readTextHistory: (content) => ({ role: 'user', content }),
  tools: 'tools',
  readTools,
});

/** Reads a request to the Responses API or its token counter, which takes the same body. */
export const readRequest = createRequestReader(readBody, (request, { searchToolName }) => {
  const { body, history, toolSection } = request;
  return {
    model: textOrNone(body.model),
    isStream: body.stream === true,
    toolChoice: readToolChoice(body.tool_choice, toolSection),
    ...readHistory(history),
    ...readOpening({ body, history: openingOf(history), readText: contentWords }),
    // `user` and `safety_identifier` stand for people, who have many conversations.
    sessionHints: hintsIn(body, ['prompt_cache_key']),
    bypass: findBypass(request, searchToolName),
  };
});

/** Returns the items before the model's first turn after a user message. */
function openingOf(history: readonly unknown[]): readonly unknown[] {
  const firstUser = history.findIndex((item) => isJsonObject(item) && item.role === 'user');
  const end = history.findIndex((item, at) => at > firstUser && isOfModel(item));
  return end === -1 ? history : history.slice(0, end);
}

/** Returns the reason why a request must be left alone. */
function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  const tools = toolSection && factsOf(toolSection);
  if (body.background === true) return 'background';
  if (isJsonObject(body.conversation) || textOrNone(body.conversation)) return 'conversation';
  if (isJsonObject(body.prompt)) return 'stored_prompt';
  if (tools?.deferByThemselves || history.some(loadsTools)) return 'client_defers';
  if (tools?.areAsync) return 'async_tools';
  return commonBypass(toolSection, searchToolName, false);
}

const factsOf = rememberBy(({ entries }: ToolSection) => ({
  deferByThemselves: entries.some(defersByItself),
  areAsync: entries.some(isAsync),
}));

const LOADING: ReadonlySet<unknown> = new Set(['tool_search_call', 'tool_search_output', 'additional_tools']);

/** Whether the client loads tools through the conversation with this item. */
function loadsTools(item: unknown): boolean {
  return isJsonObject(item) && LOADING.has(item.type);
}

/** Reads the visible history once, in order. */
function readHistory(history: readonly unknown[]): HistoryFacts {
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  for (const item of history) {
    if (!isJsonObject(item)) continue;
    if (isFunctionCall(item)) names.call(calledName(item), item.call_id);
    else if (item.type === 'function_call_output') names.resultOf(item.call_id);
    else if (isMessage(item) && item.role === 'user') userTexts.push(contentWords(item.content));
  }
  return { turns: visibleTurns(history, isOfModel, callIdsOf), ...names.factsWith(userTexts) };
}

/** Returns the ids of the calls among these items that need a result, in order. */
export function callIdsOf(items: readonly JsonObject[]): string[] {
  return items.flatMap(({ type, call_id: id }) =>
    typeof id === 'string' && id !== '' && String(type).endsWith('_call') ? [id] : [],
  );
}

/** Whether an item is a message, by its type, or by a role without a type. */
export function isMessage({ type, role }: JsonObject): boolean {
  return type === 'message' || ((type === undefined || type === null) && role !== undefined);
}

/** Types of items that the client writes, in addition to messages and the types that end in `_output`. */
const OF_CLIENT: ReadonlySet<unknown> = new Set([
  'mcp_approval_response',
  'additional_tools',
  'configuration_update',
  'compaction_trigger',
]);

/**
 * Whether the model made an item of a history. References count: clients refer to items from the provider and
 * write out their own. The output of a tool that the provider ran counts as the model's.
 */
export function isOfModel(item: unknown): item is JsonObject {
  if (!isJsonObject(item)) return false;
  const { type, role, execution } = item;
  if (isMessage(item)) return role === 'assistant';
  if (typeof type !== 'string' || OF_CLIENT.has(type)) return false;
  if (type === 'tool_search_output') return execution === 'server';
  return !type.endsWith('_output') || type === 'program_output';
}

/** Whether an item is the model's reasoning or a reference to it. */
export function isReasoning({ type, id }: JsonObject): boolean {
  return type === 'reasoning' || (type === 'item_reference' && String(id).startsWith('rs_'));
}

/** A call of a function, by the model itself or by one of its programs. */
export interface FunctionCall extends JsonObject {
  readonly call_id: string;
  readonly name: string;
}

/** Whether an item is a call of one of the client's functions. */
export function isFunctionCall(item: JsonObject): item is FunctionCall {
  return item.type === 'function_call' && typeof item.call_id === 'string' && typeof item.name === 'string';
}

/**
 * Returns the name of the called function, qualified by its namespace. A function that was loaded on its own
 * is called in a namespace of its own name, which was never declared.
 */
export function calledName({ name, namespace }: JsonObject): string {
  const own = typeof name === 'string' ? name : '';
  return typeof namespace === 'string' && namespace !== '' && namespace !== own ? `${namespace}.${own}` : own;
}

/** Reads the value of `tools`: its elements, with the functions of each namespace in its place. */
function readTools(value: unknown, text: string): ToolSection {
  if (!Array.isArray(value)) return { text, value, lists: [], entries: [] };
  const outer: ToolList = { span: { start: 0, end: text.length }, path: [] };
  const lists = [outer];
  const entries = readEntries(text, outer, value, readEntry).flatMap((entry, index) => {
    const { definition, span } = entry;
    const inner = isNamespace(definition) ? memberSpan(text, span.start, 'tools') : undefined;
    if (inner === undefined || !isNamespace(definition) || !Array.isArray(definition.tools)) return [entry];
    const list: ToolList = { span: inner, path: [index, 'tools'] };
    lists.push(list);
    return readEntries(text, list, definition.tools, (tool) => readMember(tool, definition));
  });
  return { text, value, lists, entries };
}

/** A namespace: functions under one name. */
export interface Namespace extends JsonObject {
  readonly type: 'namespace';
  readonly name: string;
}

/** Whether an entry is a namespace. */
export function isNamespace(definition: unknown): definition is Namespace {
  return (
    isJsonObject(definition) && definition.type === 'namespace' && textOrNone(definition.name) !== undefined
  );
}

/** Whether an entry shows that the client defers tools itself. */
function defersByItself({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && (definition.type === 'tool_search' || definition.defer_loading === true);
}

/** Whether a function may return its results later. */
function isAsync({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.type === 'function' && definition.async === true;
}

function readEntry(definition: unknown): EntryFacts {
  return entryFacts(definition, definition, isJsonObject(definition) && isPlainFunction(definition));
}

/** Reads a function of a namespace. Its name is qualified, because two namespaces may hold the same name. */
function readMember(definition: unknown, namespace: Namespace): EntryFacts {
  const facts = readEntry(definition);
  return facts.name === undefined ? facts : { ...facts, name: `${namespace.name}.${facts.name}` };
}

function isPlainFunction({ type, defer_loading, allowed_callers: callers, async }: JsonObject): boolean {
  // Programs call a function by its declaration, which must stay.
  const isForModel =
    callers === undefined ||
    callers === null ||
    (Array.isArray(callers) && callers.every((caller) => caller === 'direct'));
  return type === 'function' && defer_loading !== true && async !== true && isForModel;
}

/**
 * Reads the client's `tool_choice`, which names functions and custom tools. A function in a namespace may be
 * named with or without the namespace.
 */
function readToolChoice(choice: unknown, section: ToolSection | undefined): ToolChoice {
  if (choice === 'none' || choice === 'required') return { mode: choice, names: [] };
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  if (choice.type === 'allowed_tools') {
    const mode = choice.mode === 'required' ? 'required' : 'auto';
    return { mode, names: objectsIn(choice.tools).flatMap((tool) => namesMeant(tool, section)) };
  }
  const names = namesMeant(choice, section);
  return { mode: names.length > 0 ? 'required' : 'auto', names };
}

/** Returns the names that a choice covers. A namespace covers all of its functions. */
function namesMeant({ type, name, namespace }: JsonObject, section: ToolSection | undefined): string[] {
  const own = textOrNone(name);
  if (own === undefined) return [];
  const declared = (section?.entries ?? []).flatMap((entry) => entry.name ?? []);
  if (type === 'namespace') return declared.filter((one) => one.startsWith(`${own}.`));
  if (typeof namespace === 'string') return [`${namespace}.${own}`];
  return [own, ...declared.filter((one) => one.endsWith(`.${own}`))];
}
