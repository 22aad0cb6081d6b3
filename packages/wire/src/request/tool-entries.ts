import { elementsOf, textOf } from '@winnow/core';
import type { ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { isJsonObject, textOrNone } from '../json/json-value.ts';

/** The facts that a format reads in the definition of one entry. */
export type EntryFacts = Omit<ToolEntry, 'text' | 'span' | 'list'>;

type ReadEntry = (definition: unknown) => EntryFacts;

/** Returns the reader of a section that is one list of entries, as in most formats; other values have none. */
export function toolListReader(readEntry: ReadEntry) {
  return (value: unknown, text: string): ToolSection => {
    if (!Array.isArray(value)) return { text, value, lists: [], entries: [] };
    const list: ToolList = { span: { start: 0, end: text.length }, path: [] };
    return { text, value, lists: [list], entries: readEntries(text, list, value, readEntry) };
  };
}

/** Reads the entries of a list in a section's text, given with its value. */
export function readEntries(
  text: string,
  list: ToolList,
  definitions: readonly unknown[],
  readEntry: ReadEntry,
): ToolEntry[] {
  return elementsOf(text, list.span.start).map((span, index) => ({
    ...readEntry(definitions[index]),
    text: textOf(text, span),
    span,
    list,
  }));
}

/**
 * Returns the facts of an entry without a cache mark. `named` has its name and description; without a name, no
 * entry is a function.
 */
export function entryFacts(definition: unknown, named: unknown, isFunction: boolean): EntryFacts {
  const { name, description } = isJsonObject(named) ? named : {};
  const ownName = textOrNone(name);
  return {
    name: ownName,
    description: typeof description === 'string' ? description : '',
    definition,
    kind: isFunction && ownName !== undefined ? 'function' : 'other',
    isCacheMarked: false,
  };
}
