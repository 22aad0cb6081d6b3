import type { ToolChoice, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  type Span,
  textOrNone,
} from '../json/json-splice.ts';
import { type EntryFacts, entryFacts, readEntries } from '../tools/read-tool-list.ts';
import { fieldOf } from './field-of.ts';

/**
 * Reads the value of `tools`: a list of containers, each of which may hold a list of functions and tools that
 * the provider runs itself. Only the functions are entries.
 */
export function readTools(value: unknown, text: string): ToolSection {
  const lists: ToolList[] = [];
  const entries: ToolEntry[] = [];
  const containers = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const spans = Array.isArray(value) ? elementsOf(text, 0) : [];
  for (const [index, container] of containers.entries()) {
    if (!isJsonObject(container)) continue;
    for (const { key, span } of declarationsIn(text, spans[index]!)) {
      const declarations = container[key];
      if (!Array.isArray(declarations)) continue;
      const list = { span, path: [index, key] };
      lists.push(list);
      entries.push(...readEntries(text, list, declarations, readDeclaration));
    }
  }
  return { text, value, lists, entries };
}

const DECLARATION_KEYS = ['functionDeclarations', 'function_declarations'];

/** Returns the lists of functions in a container, in the order of the text. */
function declarationsIn(text: string, { start }: Span): { readonly key: string; readonly span: Span }[] {
  return DECLARATION_KEYS.flatMap((key) => {
    const span = memberSpan(text, start, key);
    return span === undefined ? [] : [{ key, span }];
  }).sort((left, right) => left.span.start - right.span.start);
}

/** Reads a declaration. A function with a `behavior` may be answered later, so it is never deferred. */
function readDeclaration(definition: unknown): EntryFacts {
  return entryFacts(definition, definition, isJsonObject(definition) && definition.behavior === undefined);
}

/** Reads the client's `toolConfig`. `VALIDATED` lets the model call nothing, like `AUTO`. */
export function readToolChoice(body: JsonObject): ToolChoice {
  const toolConfig = fieldOf(body, 'toolConfig');
  const config = isJsonObject(toolConfig) ? fieldOf(toolConfig, 'functionCallingConfig') : undefined;
  if (!isJsonObject(config)) return { mode: 'auto', names: [] };
  const allowed = fieldOf(config, 'allowedFunctionNames');
  const names = Array.isArray(allowed) ? allowed.flatMap((name) => textOrNone(name) ?? []) : [];
  return { mode: MODES.get(String(config.mode).toUpperCase()) ?? 'auto', names };
}

const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map([
  ['ANY', 'required'],
  ['NONE', 'none'],
]);
