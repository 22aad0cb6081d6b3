import { inject } from 'vitest';

/** Returns all cases in exhaustive mode, otherwise the one whose turn it is. */
export function sampleOf<Case>(cases: readonly Case[], turn = 0): readonly Case[] {
  return inject('isExhaustive') ? cases : [cases[turn % cases.length]!];
}

/**
 * Returns the number in exhaustive mode, otherwise a part of it, which is still several times more than fits.
 */
export function sampleCount(count: number, part = 1 / 3): number {
  return inject('isExhaustive') ? count : Math.ceil(count * part);
}
