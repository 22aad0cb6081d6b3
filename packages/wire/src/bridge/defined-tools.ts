import type { SearchResult } from '../format/view.ts';
import type { Bridge } from './bridge.ts';

/** Returns the names of the tools whose definition a request holds once it has these results, too. */
export function definedBy(
  { callable }: Bridge,
  results: readonly SearchResult[],
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  const defining = results.filter(({ kind }) => kind === 'found' || kind === 'answered');
  const names = defining.flatMap(({ tools }) => tools.map(({ name }) => name));
  return new Set([...before, ...names.filter((name) => callable.has(name))]);
}
