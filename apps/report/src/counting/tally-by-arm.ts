import type { RolloutArm, StoredRecord } from '@winnow/core';
import type { Tally } from './results-of.ts';

/** A result for each arm that has an exchange. */
export type ByArm<Result> = Readonly<Partial<Record<RolloutArm, Result>>>;

/** One tally for each arm that has an exchange. */
export class TallyByArm<ArmTally extends Tally> {
  readonly #tallies = new Map<RolloutArm, ArmTally>();
  readonly #begin: () => ArmTally;

  constructor(begin: () => ArmTally) {
    this.#begin = begin;
  }

  /** Returns the tally of a record's arm. */
  of({ arm }: StoredRecord): ArmTally {
    const tally = this.#tallies.get(arm) ?? this.#begin();
    this.#tallies.set(arm, tally);
    return tally;
  }

  result(): ByArm<ReturnType<ArmTally['result']>> {
    const results = [...this.#tallies].map(([arm, tally]) => [arm, tally.result(0)]);
    return Object.fromEntries(results) as ByArm<ReturnType<ArmTally['result']>>;
  }
}
