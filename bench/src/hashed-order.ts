import { hashText } from './hash-text.ts';

/** Fixed, so that every run and every ranker gets the same order. */
const SALT = 'catalogue order';

/**
 * Returns the tools in the order of their names' hashes.
 *
 * Rankers keep catalogue order among equal scores. The tools of a set are often listed in the order of its
 * queries, so the original order would turn ties into hits.
 */
export function hashedOrder<Item extends { readonly name: string }>(items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: hashText(`${SALT}\n${item.name}`) }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return keyed.map(({ item }) => item);
}
