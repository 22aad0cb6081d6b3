import { hashText } from './hash-text.ts';

/** Fixed, so that every run and every ranker sees the same order. */
const SALT = 'catalogue order';

/**
 * The tools in an order that their names' hashes decide.
 *
 * Rankers keep catalogue order among equal scores. Sets are often written down near the order of their queries, so the order
 * as it came would hand out hits for ties.
 */
export function hashedOrder<Item extends { readonly name: string }>(items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: hashText(`${SALT}\n${item.name}`) }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return keyed.map(({ item }) => item);
}
