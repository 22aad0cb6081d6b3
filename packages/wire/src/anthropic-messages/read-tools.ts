import type { ToolEntry, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { type EntryFacts, entryFacts, readToolList } from '../tools/read-tool-list.ts';

/** Reads the value of `tools`. */
export function readTools(value: unknown, text: string): ToolSection {
  return readToolList(value, text, readTool);
}

/** Whether an entry shows that the client defers tools itself: a vendor's search tool, or a deferred tool. */
export function defersByItself({ definition }: ToolEntry): boolean {
  if (!isJsonObject(definition)) return false;
  const { type, default_config: defaults, configs } = definition;
  if (typeof type === 'string' && type.startsWith('tool_search_tool')) return true;
  // A toolset defers all of its members at once, or each separately.
  const members = isJsonObject(configs) ? Object.values(configs) : [];
  return [definition, defaults, ...members].some((part) => isJsonObject(part) && part.defer_loading === true);
}

function readTool(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  const isCacheMarked = isJsonObject(entry.cache_control);
  return { ...entryFacts(definition, entry, isPlainFunction(entry)), isCacheMarked };
}

/** Whether an entry is a plain function. An entry with another `type` is a vendor's tool, known or not. */
function isPlainFunction({ type, input_schema: schema, allowed_callers: callers }: JsonObject): boolean {
  const isOfClient = type === undefined || type === null || type === 'custom';
  // The model cannot call a tool that only programs may call, so it need not search for one.
  const isForModel = !Array.isArray(callers) || callers.includes('direct');
  return isOfClient && isForModel && isJsonObject(schema);
}
