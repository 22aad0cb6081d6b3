import { RolloutReason, type StoredRecord } from '@winnow/core';
import { knownReason } from './counting/tallies.ts';

/** The steps of a rollout, in order. */
const STEPS = ['off', 'dark', 'shadow', 'partial', 'full'] as const;

/** The setting `rollout.mode`, according to the records. */
export type RolloutStep = (typeof STEPS)[number];

/** The step of each reason; undefined if the reason does not show it. */
const STEP_OF: Readonly<Record<RolloutReason | 'unknown', RolloutStep | undefined>> = {
  unknown: undefined,
  switched_off: undefined,
  overridden: undefined,
  rollout_off: 'off',
  rollout_dark: 'dark',
  rollout_shadow: 'shadow',
  inside_percent: 'partial',
  outside_percent: 'partial',
  no_session: 'partial',
  rollout_full: 'full',
};

/** Gathers the steps in which the records were made. Records may come in any order, as those of several proxies do. */
export class StepsTally {
  readonly #newest = new Map<RolloutStep, number>();
  #switchedOff = 0;

  add({ armReason, time }: StoredRecord): void {
    if (armReason === 'switched_off') this.#switchedOff++;
    const step = STEP_OF[knownReason(RolloutReason, armReason)];
    if (step === undefined) return;
    this.#newest.set(step, Math.max(this.#newest.get(step) ?? 0, Date.parse(time)));
  }

  result() {
    const byAge = [...this.#newest].sort(([, a], [, b]) => b - a);
    const [newest, before] = byAge;
    return {
      /** The step of the newest record; absent if no record shows one. */
      ...(newest !== undefined && { step: newest[0] }),
      /** When the newest step began, as ISO 8601: a millisecond after the last record of another step. */
      ...(before !== undefined && { since: new Date(before[1] + 1).toISOString() }),
      seen: STEPS.filter((step) => this.#newest.has(step)),
      /** Exchanges for which tool discovery was switched off, at any step. */
      switchedOff: this.#switchedOff,
    };
  }
}
