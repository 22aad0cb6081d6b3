import { printable } from '@winnow/core';
import type { Counts } from '../counting/counts.ts';
import type { Rate } from '../counting/rate.ts';
import type { Names } from '../counting/top-names.ts';
import { formatCount, formatInterval, formatShare } from '../text/format.ts';

/** Returns rows of a label, a count, and its share of `total`; labels are the keys, or their words. */
export function countRows<Key extends string>(
  counts: Counts<Key>,
  total: number,
  words?: Readonly<Partial<Record<Key, string>>>,
): string[][] {
  return Object.entries<number | undefined>(counts).map(([key, count = 0]) => [
    words?.[key as Key] ?? key,
    formatCount(count),
    formatShare(count / total),
  ]);
}

/** Returns rows of a name, its count, and its share of all names. */
export function nameRows({ top, total }: Names): string[][] {
  return top.map(({ name, count }) => [printable(name), formatCount(count), formatShare(count / total)]);
}

/** Returns a row of a label, part, whole, share and interval. */
export function rateRow(label: string, rate: Rate): string[] {
  const known = rate.share === undefined ? ['', ''] : [formatShare(rate.share), formatInterval(rate)];
  return [label, formatCount(rate.part), formatCount(rate.whole), ...known];
}
