import { InputError } from '../input-error.ts';
import { FORWARDING_WAYS } from './forwarding-ways.ts';

/** Names for `--only`: the ways whose cost per request is measured, and all other parts of the bench. */
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
  'profiles',
  'in-process',
  'load-modes',
] as const;

/** One of {@link PARTS}. */
export type Part = (typeof PARTS)[number];

/**
 * Reads a comma-separated list; all parts if there is none. Throws an {@link InputError} that lists the
 * parts.
 */
export function readParts(list: string | undefined): ReadonlySet<Part> {
  if (list === undefined) return new Set(PARTS);
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined)
    throw new InputError(`--only: there is no ${unknown}; the parts are ${PARTS.join(', ')}`);
  return new Set(PARTS.filter((part) => names.includes(part)));
}
