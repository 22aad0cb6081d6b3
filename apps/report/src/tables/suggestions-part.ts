import { suggestionsText } from '@winnow/learning';
import type { Sections } from '../sections.ts';
import type { Part } from './part.ts';

/** Returns what records suggest; undefined if they suggest nothing. */
export function suggestionsPart({ suggestions }: Sections): Part | undefined {
  return suggestions.length === 0 ? undefined : { id: 'suggestions', ...suggestionsText(suggestions) };
}
