import type { ToolSection } from '../format/view.ts';
import { isJsonObject, textOrNone } from '../json/json-splice.ts';
import { type EntryFacts, readToolList } from '../tools/read-tool-list.ts';
import { calledName } from './read-message.ts';

/** Reads the value of `tools`. */
export function readTools(value: unknown, text: string): ToolSection {
  return readToolList(value, text, readTool);
}

/**
 * Reads an entry. Only `{ type: "function", function: { name } }` is known to be a plain function. There are
 * no cache marks.
 */
function readTool(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  const described = isJsonObject(entry.function) ? entry.function : undefined;
  const name = textOrNone(calledName(entry));
  return {
    name,
    description: typeof described?.description === 'string' ? described.description : '',
    definition,
    kind: entry.type === 'function' && name !== undefined ? 'function' : 'other',
    isCacheMarked: false,
  };
}
