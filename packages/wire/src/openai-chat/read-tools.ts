import type { ToolChoice, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import { type EntryFacts, readToolList } from '../tools/read-tool-list.ts';
import { calledName } from './read-message.ts';

/** Reads the value of `tools`. */
export function readTools(value: unknown, text: string): ToolSection {
  return readToolList(value, text, readTool);
}

/**
 * Reads an entry. Only `{ type: "function", function: { name } }` is known to be a plain function; servers
 * add types of their own.
 */
function readTool(definition: unknown): EntryFacts {
  if (!isJsonObject(definition)) return { ...OTHER_ENTRY, definition };
  const described = isJsonObject(definition.function) ? definition.function : undefined;
  const name = textOrNone(calledName(definition));
  return {
    name,
    description: typeof described?.description === 'string' ? described.description : '',
    definition,
    kind:
      definition.type === 'function' && described !== undefined && name !== undefined ? 'function' : 'other',
    isCacheMarked: hasCacheMark(definition) || (described !== undefined && hasCacheMark(described)),
  };
}

const OTHER_ENTRY = { name: undefined, description: '', kind: 'other', isCacheMarked: false } as const;

/** Whether a part has Anthropic's cache breakpoint, which compatible servers pass on under its own name. */
function hasCacheMark(part: JsonObject): boolean {
  return isJsonObject(part.cache_control);
}

/** Reads the client's `tool_choice`. An unknown form counts as `auto`, and the tool that it names is kept. */
export function readToolChoice(choice: unknown): ToolChoice {
  if (choice === 'none' || choice === 'required') return { mode: choice, names: [] };
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  // OpenAI nests the list under the type's name; some servers do not.
  const allowed = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  if (choice.type === 'allowed_tools') {
    return { mode: allowed.mode === 'required' ? 'required' : 'auto', names: namesOf(allowed.tools) };
  }
  const names = namesOf([choice]);
  return { mode: names.length > 0 ? 'required' : 'auto', names };
}

function namesOf(entries: unknown): string[] {
  return objectsIn(entries).flatMap((entry) => textOrNone(calledName(entry)) ?? textOrNone(entry.name) ?? []);
}
