import { resultText } from '@winnow/text';
import type { RequestView, Round, SearchResult, ToolSection } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';

/**
 * A search result as it is kept: names, and nothing of what the client's tools say. Its text is written anew for every request, from the
 * tools of that request. The result of another call has a text of its own.
 */
export interface KeptResult {
  readonly callId: string;
  readonly kind: SearchResult['kind'];
  readonly names: readonly string[];
  readonly text?: string;
  readonly isError?: true;
}

/** The tools that results are written for: the description of each name. */
export type DeclaredTools = ReadonlyMap<string, string>;

/** The tools of a request; of two of one name the first one's description counts. */
export function declaredTools({ toolSection }: RequestView): DeclaredTools {
  return toolSection === undefined ? NONE : declaredIn(toolSection);
}

const NONE: DeclaredTools = new Map();

const declaredIn = rememberBy(({ entries }: ToolSection): DeclaredTools => {
  const declared = new Map<string, string>();
  for (const { name, description } of entries) {
    if (name !== undefined && !declared.has(name)) declared.set(name, description);
  }
  return declared;
});

/** What to keep of a result. */
export function keepResult({ callId, kind, tools, text, isError }: SearchResult): KeptResult {
  const names = [...new Set(tools.map(({ name }) => name))];
  return { callId, kind, names, ...(text !== undefined && { text }), ...(isError && { isError }) };
}

/** One kept result for each search of a round: a history in which a call has no result is rejected. */
export function keepResults({ turn, results }: Round): KeptResult[] {
  return turn.searches.map(({ id }) => {
    const result = results.find(({ callId }) => callId === id);
    return result === undefined ? { callId: id, kind: 'limit', names: [] } : keepResult(result);
  });
}

/** The results of a round as they are kept, and none for searches that were left without. */
export function keepAnswered({ results }: Round): KeptResult[] {
  return results.map(keepResult);
}

/** Names that the rounds have found, in load order, each once. Those that were shown because a search failed are not among them. */
export function foundNames(rounds: readonly Round[]): string[] {
  const found = rounds.flatMap(({ results }) => results.filter(({ kind }) => kind === 'found'));
  return [...new Set(found.flatMap(({ tools }) => tools.map(({ name }) => name)))];
}

/** What the model reads as a result. A name that the request no longer declares is left out. */
export function keptText({ kind, names, text }: KeptResult, declared: DeclaredTools): string {
  if (text !== undefined) return text;
  const tools = names.flatMap((name) => {
    const description = declared.get(name);
    return description === undefined ? [] : [{ name, description }];
  });
  return resultText({ kind: kind === 'found' && tools.length === 0 ? 'no_match' : kind, tools });
}
