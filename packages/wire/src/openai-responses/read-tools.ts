import type { ToolChoice, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { elementsOf, isJsonObject, type JsonObject, memberSpan, textOf } from '../json/json-splice.ts';
import { objectsIn, textOrNone } from './read-items.ts';

/** The value of `tools`: its elements, and in place of each namespace the functions within. */
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

/** True for an entry that is a namespace. */
export function isNamespace(definition: unknown): definition is Namespace {
  return (
    isJsonObject(definition) && definition.type === 'namespace' && textOrNone(definition.name) !== undefined
  );
}

/** True when an entry shows that the client defers tools by itself. */
export function defersByItself({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && (definition.type === 'tool_search' || definition.defer_loading === true);
}

/** True for a function whose results come whenever they are there. */
export function isAsync({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.type === 'function' && definition.async === true;
}

/** Within a namespace a name is qualified: two namespaces may hold equal ones. */
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
  // A function that only programs may call is not the model's to search for.
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
 * The client's `tool_choice`. The names that it says are those of functions and custom tools, and of hosted ones nothing of ours; a function
 * within a namespace is named with it or without.
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

/** A namespace stands for everything within. */
function namesMeant({ type, name, namespace }: JsonObject, section: ToolSection | undefined): string[] {
  const own = textOrNone(name);
  if (own === undefined) return [];
  const declared = (section?.entries ?? []).flatMap((entry) => entry.name ?? []);
  if (type === 'namespace') return declared.filter((one) => one.startsWith(`${own}.`));
  if (typeof namespace === 'string') return [`${namespace}.${own}`];
  return [own, ...declared.filter((one) => one.endsWith(`.${own}`))];
}
