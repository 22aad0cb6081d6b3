import { suggestionsText } from '@winnow/learning';
import type { Sections } from '../sections.ts';
import type { Part } from './part.ts';

/** Returns the suggestions from records; undefined if there are none. */
export function suggestionsPart({ suggestions }: Sections): Part | undefined {
  return suggestions.length === 0 ? undefined : { id: 'suggestions', ...suggestionsText(suggestions) };
}
