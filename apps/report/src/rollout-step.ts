import { RolloutReason, type StoredRecord } from '@winnow/contract';
import { knownReason } from './counting/known-reason.ts';

/** The setting `rollout.mode`, as far as records tell it. */
export type RolloutStep = 'off' | 'dark' | 'shadow' | 'partial' | 'full';

/** Which steps the records were made in. */
export interface StepsSeen {
  /** The step of the newest record; undefined without one that tells. */
  readonly step?: RolloutStep;
  /** When the newest step began to be seen after the last record of another one, as ISO 8601. */
  readonly since?: string;
  /** In the order of a rollout. */
  readonly seen: readonly RolloutStep[];
  /** Exchanges for which tool discovery was switched off whatever the step. */
  readonly switchedOff: number;
}

/** Undefined: the reason tells nothing of the step. */
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

const ORDER: readonly RolloutStep[] = ['off', 'dark', 'shadow', 'partial', 'full'];

/** Gathers `StepsSeen`, from records in any order: those of several proxies come file by file. */
export class StepsTally {
  readonly #newest = new Map<RolloutStep, number>();
  #switchedOff = 0;

  add({ armReason, time }: StoredRecord): void {
    if (armReason === 'switched_off') this.#switchedOff++;
    const step = STEP_OF[knownReason(RolloutReason, armReason)];
    if (step === undefined) return;
    this.#newest.set(step, Math.max(this.#newest.get(step) ?? 0, Date.parse(time)));
  }

  result(): StepsSeen {
    const byAge = [...this.#newest].sort(([, a], [, b]) => b - a);
    const [newest, before] = byAge;
    return {
      ...(newest !== undefined && { step: newest[0] }),
      // A millisecond after the last record of any other step: records are told apart no finer.
      ...(before !== undefined && { since: new Date(before[1] + 1).toISOString() }),
      seen: ORDER.filter((step) => this.#newest.has(step)),
      switchedOff: this.#switchedOff,
    };
  }
}
