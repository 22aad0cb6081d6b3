import type { Tell } from '../records/exchange-fact.ts';
import type { Policy } from '../strategies/policy.ts';

/** Tells which profile a request matches, if any. */
export function tellProfile({ profile }: Pick<Policy, 'profile'>, tell: Tell): void {
  if (profile !== undefined) tell({ kind: 'profiled', profile });
}
