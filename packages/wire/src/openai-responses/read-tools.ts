import type { ToolChoice, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  objectsIn,
  textOf,
  textOrNone,
} from '../json/json-splice.ts';

/** Reads the value of `tools`: its elements, with the functions of each namespace in its place. */
export function readTools(value: unknown, text: string): ToolSection {
  if (!Array.isArray(value)) return { text, value, lists: [], entries: [] };
  const outer: ToolList = { span: { start: 0, end: text.length }, path: [] };
  const lists = [outer];
  const spans = elementsOf(text, 0);
  const entries = (value as readonly unknown[]).flatMap((definition, index): ToolEntry[] => {
    const span = spans[index]!;
    const inner = isNamespace(definition) ? memberSpan(text, span.start, 'tools') : undefined;
    if (inner === undefined || !isNamespace(definition) || !Array.isArray(definition.tools)) {
      return [{ ...readEntry(definition, undefined), text: textOf(text, span), span, list: outer }];
    }
    const list: ToolList = { span: inner, path: [index, 'tools'] };
    lists.push(list);
    const places = elementsOf(text, inner.start);
    return (definition.tools as readonly unknown[]).map((tool, at) => {
      const place = places[at]!;
      return { ...readEntry(tool, definition), text: textOf(text, place), span: place, list };
    });
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

/** Reads an entry. Names in a namespace are qualified, because two namespaces may hold the same name. */
function readEntry(definition: unknown, namespace: Namespace | undefined) {
  const entry = isJsonObject(definition) ? definition : {};
  const own = textOrNone(entry.name);
  return {
    name: own !== undefined && namespace !== undefined ? `${namespace.name}.${own}` : own,
    description: typeof entry.description === 'string' ? entry.description : '',
    definition,
    kind: isPlainFunction(entry) ? ('function' as const) : ('other' as const),
    isCacheMarked: false,
  };
}

function isPlainFunction({
  type,
  name,
  defer_loading,
  allowed_callers: callers,
  async,
}: JsonObject): boolean {
  // The model cannot call a function that only programs may call, so it need not search for one.
  const isForModel =
    callers === undefined || callers === null || (Array.isArray(callers) && callers.includes('direct'));
  return (
    type === 'function' &&
    textOrNone(name) !== undefined &&
    defer_loading !== true &&
    async !== true &&
    isForModel
  );
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
