import { InputError } from '../input-error.ts';
import { FORWARDING_WAYS } from './forwarding-ways.ts';

/** What `--only` can name: the ways whose cost per request is measured, and everything else that the bench measures. */
export const PARTS = [
  ...FORWARDING_WAYS,
  'first-content',
  'search',
  'start',
  'memory',
  'delay',
  'latency',
  'growth',
  'rollout',
  'sessions',
  'page',
] as const;

/** One of {@link PARTS}. */
export type Part = (typeof PARTS)[number];

/** Reads a list with commas; everything when there is none. Throws an {@link InputError} that says what there is. */
export function readParts(list: string | undefined): ReadonlySet<Part> {
  if (list === undefined) return new Set(PARTS);
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new InputError(`--only: there is no ${unknown}, but ${PARTS.join(', ')}`);
  return new Set(PARTS.filter((part) => names.includes(part)));
}
