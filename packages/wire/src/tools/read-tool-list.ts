import type { ToolEntry, ToolSection } from '../format/view.ts';
import { elementsOf, textOf } from '../json/json-splice.ts';

/** The facts that a format reads in the definition of one entry. */
export type EntryFacts = Omit<ToolEntry, 'text' | 'span' | 'list'>;

/** Reads a section that is one list of entries, as in most formats; without entries when it is not a list. */
export function readToolList(
  value: unknown,
  text: string,
  readEntry: (definition: unknown) => EntryFacts,
): ToolSection {
  const list = { span: { start: 0, end: text.length }, path: [] };
  const spans = Array.isArray(value) ? elementsOf(text, 0) : [];
  const definitions = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const entries = definitions.map((definition, index) => {
    const span = spans[index]!;
    return { ...readEntry(definition), text: textOf(text, span), span, list };
  });
  return { text, value, lists: Array.isArray(value) ? [list] : [], entries };
}
