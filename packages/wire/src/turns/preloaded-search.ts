import { hashText } from '../hash-text.ts';
import type { KeptResult } from './kept-result.ts';

/** A search for preloaded tools that the model seems to have made, and its result. */
export interface PreloadedSearch {
  readonly id: string;
  readonly query: string;
  readonly result: KeptResult;
}

/** Returns the search that finds these tools. Equal names give an equal search. */
export function preloadedSearch(names: readonly string[], idPrefix: string): PreloadedSearch {
  const id = idPrefix + hashText(names.join('\n')).replaceAll(/[-_]/g, '').slice(0, 24);
  return { id, query: names.join(', '), result: { callId: id, kind: 'found', names } };
}
