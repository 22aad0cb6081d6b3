import type { ToolChoice, ToolEntry, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { type EntryFacts, readToolList } from '../tools/read-tool-list.ts';

/** Reads the value of `tools`: one list of functions and of tools that the provider runs. */
export function readTools(value: unknown, text: string): ToolSection {
  return readToolList(value, text, readEntry);
}

function readEntry(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  const name = textOrNone(entry.name);
  const isFunction = entry.type === 'function' && name !== undefined && entry.defer_loading !== true;
  return {
    name,
    description: typeof entry.description === 'string' ? entry.description : '',
    definition,
    kind: isFunction ? 'function' : 'other',
    isCacheMarked: false,
  };
}

/**
 * Whether an entry shows that the client defers tools itself, as with other providers; this provider does not
 * support it.
 */
export function defersByItself({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.defer_loading === true;
}

/**
 * Reads the client's `generation_config.tool_choice`: a mode or the allowed names. `validated` lets the model
 * call nothing, like `auto`.
 */
export function readToolChoice({ generation_config: config }: JsonObject): ToolChoice {
  const choice = isJsonObject(config) ? config.tool_choice : undefined;
  const allowed = isJsonObject(choice) ? choice.allowed_tools : undefined;
  if (!isJsonObject(allowed)) return { mode: modeOf(choice), names: [] };
  const names = Array.isArray(allowed.tools)
    ? allowed.tools.flatMap((name: unknown) => textOrNone(name) ?? [])
    : [];
  return { mode: modeOf(allowed.mode), names };
}

function modeOf(word: unknown): ToolChoice['mode'] {
  return MODES.get(String(word).toLowerCase()) ?? 'auto';
}

const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map([
  ['any', 'required'],
  ['none', 'none'],
]);
