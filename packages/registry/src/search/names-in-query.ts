/** Runs of characters that ids and tool names consist of. */
const NAME_RUN = /[a-z0-9_.:-]+/g;

/** Characters that may surround a name, and may also be part of it. */
const EDGES = /^[-.:]+|[-.:]+$/g;

/** A word with more parts is not a name. */
const MOST_PARTS = 6;
const MOST_NAMES = 256;

/**
 * Returns the texts in a query that may be tool names, in lower case, at most 256: the whole query, its words, and their
 * parts between dots and colons. The caller checks which of them are names.
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
