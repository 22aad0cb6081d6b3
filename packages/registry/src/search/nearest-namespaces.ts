/** Most namespaces that are named. */
const MOST = 5;

/** More of a query than this says nothing more about what was meant. */
const READ_CHARS = 1_024;

/**
 * Namespaces whose names look most like words of a query, at most 5, the nearest first: those that share letter triples with
 * one of its words, by Dice's coefficient.
 */
export function nearestNamespaces(query: string, namespaces: Iterable<string>): readonly string[] {
  const words = new Set(
    query
      .slice(0, READ_CHARS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
  const wanted = [...words].map(triplesOf);
  const near: { name: string; share: number }[] = [];
  for (const name of namespaces) {
    if (name === '') continue;
    // The name as a whole, and each of its words.
    const parts = [name, ...name.split(/[._-]+/)].map(triplesOf);
    const share = Math.max(0, ...wanted.flatMap((word) => parts.map((part) => dice(word, part))));
    if (share > 0) near.push({ name, share });
  }
  near.sort((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1));
  return near.slice(0, MOST).map(({ name }) => name);
}

function triplesOf(text: string): ReadonlySet<string> {
  const padded = `^${text}$`;
  const triples = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) triples.add(padded.slice(at, at + 3));
  return triples;
}

function dice(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const triple of left) if (right.has(triple)) shared++;
  return (2 * shared) / (left.size + right.size || 1);
}
