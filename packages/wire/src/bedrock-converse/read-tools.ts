import type { ToolList, ToolSection } from '../format/view.ts';
import { isJsonObject, memberSpan } from '../json/json-splice.ts';
import { type EntryFacts, entryFacts, readEntries } from '../tools/read-tool-list.ts';

/** Reads the value of `toolConfig`, where the list of tools is one of several members. */
export function readTools(value: unknown, text: string): ToolSection {
  const tools = isJsonObject(value) ? value.tools : undefined;
  const span = memberSpan(text, 0, 'tools');
  if (!Array.isArray(tools) || span === undefined) return { text, value, lists: [], entries: [] };
  const list: ToolList = { span, path: ['tools'] };
  return { text, value, lists: [list], entries: readEntries(text, list, tools, readTool) };
}

/** Whether an entry marks the end of a prefix to cache. */
function isCachePoint(definition: unknown): boolean {
  return isJsonObject(definition) && 'cachePoint' in definition;
}

/**
 * Reads an entry. A client's tool has a `toolSpec`; the provider's entries, known or not, have other members.
 */
function readTool(definition: unknown): EntryFacts {
  const specification = isJsonObject(definition) ? definition.toolSpec : undefined;
  const isAlone = isJsonObject(definition) && !OTHER_KINDS.some((kind) => kind in definition);
  const isPlain = isAlone && isJsonObject(specification) && isJsonObject(specification.inputSchema);
  return { ...entryFacts(definition, specification, isPlain), isCacheMarked: isCachePoint(definition) };
}

const OTHER_KINDS = ['systemTool', 'cachePoint'];
