import type { ToolSection } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';

/** Returns the names of a section's tools, and whether any of them is a function. */
export const toolFacts = rememberBy(({ entries }: ToolSection) => ({
  names: new Set(entries.map(({ name }) => name)),
  holdFunctions: entries.some(({ kind }) => kind === 'function'),
}));
