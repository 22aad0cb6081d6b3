/** Most suggested namespaces. */
const MOST = 5;

/** Only the beginning of a long query is compared. */
const READ_CHARS = 1_024;

/**
 * Returns at most 5 namespaces whose names resemble words of a query, the nearest first, by Dice's coefficient over
 * letter triples.
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
