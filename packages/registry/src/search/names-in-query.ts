/** What ids and names of tools are made of. */
const NAME_RUN = /[a-z0-9_.:-]+/g;

/** What may stand around a name, and also begin or end one. */
const EDGES = /^[-.:]+|[-.:]+$/g;

/** More parts of one word than these are no name. */
const MOST_PARTS = 6;
const MOST_NAMES = 256;

/**
 * Texts in a query that may be names of tools, in lower case, at most 256: the query as a whole, its words, and parts of these between
 * dots and colons. Whether they are is for whoever knows the tools to say.
 */
export function namesInQuery(query: string): readonly string[] {
  const folded = query.toLowerCase().replace(/^\s*select:/, '');
  const names = new Set([folded.trim()]);
  for (const [run] of folded.matchAll(NAME_RUN)) {
    if (names.size >= MOST_NAMES) break;
    for (const name of partsOf(run)) names.add(name);
  }
  names.delete('');
  return [...names].slice(0, MOST_NAMES);
}

function partsOf(run: string): readonly string[] {
  const ends = [0, ...[...run.matchAll(/[.:]/g)].map(({ index }) => index + 1), run.length + 1];
  const parts = [run, run.replace(EDGES, '')];
  if (ends.length > MOST_PARTS + 1) return parts;
  for (const [at, start] of ends.slice(0, -1).entries())
    for (const end of ends.slice(at + 1)) parts.push(run.slice(start, end - 1));
  return parts;
}
