import type { ToolChoice, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, memberSpan, objectsIn, textOrNone } from '../json/json-splice.ts';
import { type EntryFacts, entryFacts, readEntries } from '../tools/read-tool-list.ts';

/** Reads the value of `tools`: its elements, with the functions of each namespace in its place. */
export function readTools(value: unknown, text: string): ToolSection {
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
export function defersByItself({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && (definition.type === 'tool_search' || definition.defer_loading === true);
}

/** Whether a function may return its results later. */
export function isAsync({ definition }: ToolEntry): boolean {
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
  // The model cannot call a function that only programs may call, so it need not search for one.
  const isForModel =
    callers === undefined || callers === null || (Array.isArray(callers) && callers.includes('direct'));
  return type === 'function' && defer_loading !== true && async !== true && isForModel;
}

/**
 * Reads the client's `tool_choice`, which names functions and custom tools. A function in a namespace may be
 * named with or without the namespace.
 */
export function readToolChoice(choice: unknown, section: ToolSection | undefined): ToolChoice {
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
