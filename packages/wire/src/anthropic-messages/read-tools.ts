import type { ToolEntry, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { type EntryFacts, readToolList } from '../tools/read-tool-list.ts';

/** The value of `tools`. */
export function readTools(value: unknown, text: string): ToolSection {
  return readToolList(value, text, readTool);
}

/** True when an entry shows that the client defers tools by itself: a search tool of the vendor's, or a deferred tool. */
export function defersByItself({ definition }: ToolEntry): boolean {
  if (!isJsonObject(definition)) return false;
  const { type, default_config: defaults, configs } = definition;
  if (typeof type === 'string' && type.startsWith('tool_search_tool')) return true;
  // A toolset says it for all of its members, or for each.
  const members = isJsonObject(configs) ? Object.values(configs) : [];
  return [definition, defaults, ...members].some((part) => isJsonObject(part) && part.defer_loading === true);
}

function readTool(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  return {
    name: typeof entry.name === 'string' && entry.name !== '' ? entry.name : undefined,
    description: typeof entry.description === 'string' ? entry.description : '',
    definition,
    kind: isPlainFunction(entry) ? 'function' : 'other',
    isCacheMarked: isJsonObject(entry.cache_control),
  };
}

/** A type of its own means a tool of the vendor's, known today or not. */
function isPlainFunction({
  type,
  name,
  input_schema: schema,
  allowed_callers: callers,
}: JsonObject): boolean {
  const isOfClient = type === undefined || type === null || type === 'custom';
  // A tool that only programs may call is not the model's to search for.
  const isForModel = !Array.isArray(callers) || callers.includes('direct');
  return isOfClient && isForModel && typeof name === 'string' && name !== '' && isJsonObject(schema);
}
