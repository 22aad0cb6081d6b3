/** The one of `names` that takes the fewest letters added, dropped or changed to become `name`. `names` has at least one. */
export function nearestName(name: string, names: readonly string[]): string {
  let nearest = names[0]!;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const edits = editDistance(name, candidate);
    if (edits >= least) continue;
    nearest = candidate;
    least = edits;
  }
  return nearest;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
