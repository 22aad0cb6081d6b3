import type { Mark } from '../marks.ts';

/** Something that must not have happened. */
export function none(what: string, count: number): Mark {
  return { what, mark: '0', measured: String(count), isMet: count === 0 };
}

/** Two counts of the same thing. */
export function equal(what: string, expected: number, measured: number): Mark {
  return { what, mark: String(expected), measured: String(measured), isMet: measured === expected };
}

/** A count that must not be above another one. */
export function atMost(what: string, most: number, measured: number): Mark {
  return { what, mark: `at most ${most}`, measured: String(measured), isMet: measured <= most };
}
