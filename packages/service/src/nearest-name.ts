import { editDistance } from '@winnow/core';

/**
 * Returns the one of `names` that takes the fewest typing errors (a letter added, lost, changed, or swapped)
 * to become `name`. `names` is not empty.
 */
export function nearestName(name: string, names: readonly string[]): string {
  let nearest = names[0]!;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const edits = editDistance(name, candidate, Math.max(name.length, candidate.length));
    if (edits >= least) continue;
    nearest = candidate;
    least = edits;
  }
  return nearest;
}
