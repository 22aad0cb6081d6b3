import type { Mark } from '../marks.ts';

/** Requires a count of zero. */
export function none(what: string, count: number): Mark {
  return { what, mark: '0', measured: String(count), isMet: count === 0 };
}

/** Requires two counts to be equal. */
export function equal(what: string, expected: number, measured: number): Mark {
  return { what, mark: String(expected), measured: String(measured), isMet: measured === expected };
}

/** Requires a count not to exceed another one. */
export function atMost(what: string, most: number, measured: number): Mark {
  return { what, mark: `at most ${most}`, measured: String(measured), isMet: measured <= most };
}
