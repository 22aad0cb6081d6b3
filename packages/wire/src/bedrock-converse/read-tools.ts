import type { ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { elementsOf, isJsonObject, memberSpan, textOf } from '../json/json-splice.ts';

/** Reads the value of `toolConfig`, where the list of tools is one of several members. */
export function readTools(value: unknown, text: string): ToolSection {
  const tools = isJsonObject(value) ? value.tools : undefined;
  const span = memberSpan(text, 0, 'tools');
  if (!Array.isArray(tools) || span === undefined) return { text, value, lists: [], entries: [] };
  const list: ToolList = { span, path: ['tools'] };
  const spans = elementsOf(text, span.start);
  const entries = (tools as readonly unknown[]).map((definition, index) => {
    const entrySpan = spans[index]!;
    return { ...readTool(definition), text: textOf(text, entrySpan), span: entrySpan, list };
  });
  return { text, value, lists: [list], entries };
}

/** Whether an entry marks the end of a prefix to cache. */
function isCachePoint(definition: unknown): boolean {
  return isJsonObject(definition) && 'cachePoint' in definition;
}

/**
 * Reads an entry. A client's tool has a `toolSpec`; the provider's entries, known or not, have other members.
 */
function readTool(definition: unknown): Omit<ToolEntry, 'text' | 'span' | 'list'> {
  const specification = isJsonObject(definition) ? definition.toolSpec : undefined;
  const { name, description, inputSchema } = isJsonObject(specification) ? specification : {};
  const isNamed = typeof name === 'string' && name !== '';
  const isAlone = isJsonObject(definition) && !OTHER_KINDS.some((kind) => kind in definition);
  const isPlain = isNamed && isJsonObject(inputSchema) && isAlone;
  return {
    name: isNamed ? name : undefined,
    description: typeof description === 'string' ? description : '',
    definition,
    kind: isPlain ? 'function' : 'other',
    isCacheMarked: isCachePoint(definition),
  };
}

const OTHER_KINDS = ['systemTool', 'cachePoint'];
