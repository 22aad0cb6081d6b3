/**
 * Two lists as one, by the places in them; the first list's come first where places are equal. At most `limit` are given. Scores of one do not compare with scores of the other; places do.
 */
export function mergeByPlace<Item>(first: readonly Item[], second: readonly Item[], limit: number): Item[] {
  const merged: Item[] = [];
  for (let place = 0; place < Math.max(first.length, second.length); place++)
    merged.push(...first.slice(place, place + 1), ...second.slice(place, place + 1));
  return merged.slice(0, limit);
}

/**
 * Returns scores that follow an order: each is at least as high as all later ones, so a tool that a ranking by
 * meaning puts before a passing tool passes, too. Scores stay comparable between requests, because they are
 * computed from words.
 */
export function scoresInOrder<Item extends { readonly score: number }>(ranked: readonly Item[]): Item[] {
  let least = 0;
  return ranked
    .toReversed()
    .map((item) => {
      least = Math.max(least, item.score);
      return { ...item, score: least };
    })
    .toReversed();
}
