import { inject } from 'vitest';

/** All of these cases, or the one whose turn it is. */
export function sampleOf<Case>(cases: readonly Case[], turn = 0): readonly Case[] {
  return inject('isExhaustive') ? cases : [cases[turn % cases.length]!];
}

/** This number, or a third of it, which is several times more than there is room for. */
export function sampleCount(count: number): number {
  return inject('isExhaustive') ? count : Math.ceil(count / 3);
}
