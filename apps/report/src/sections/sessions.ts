import type { RolloutArm, StoredRecord } from '@winnow/core';
import { SessionSample } from '../counting/session-sample.ts';
import { countsTally } from '../counting/spread.ts';

/** Collects the conversations that records distinguish. */
export class SessionsTally {
  readonly #sample = new SessionSample(() => ({ exchanges: 0, arms: new Set<RolloutArm>() }));
  #withoutSession = 0;

  add({ session, arm, armReason }: StoredRecord): void {
    if (session === undefined) {
      this.#withoutSession++;
      return;
    }
    const entry = this.#sample.entryOf(session);
    if (entry === undefined) return;
    entry.exchanges++;
    if (armReason !== 'overridden') entry.arms.add(arm);
  }

  result() {
    const exchanges = countsTally();
    const entries = [...this.#sample.entries];
    for (const entry of entries) exchanges.add(entry.exchanges);
    return {
      /** Exact, or an estimate when `isExact` is false. */
      count: entries.length * this.#sample.weight,
      isExact: this.#sample.weight === 1,
      /** The number of sessions that the figures below are taken from: all of them, or a fair sample. */
      sampled: entries.length,
      exchangesPerSession: exchanges.result(),
      /** Sessions among `sampled` in more than one arm, not counting exchanges whose request chose its arm. */
      inSeveralArms: entries.filter(({ arms }) => arms.size > 1).length,
      exchangesWithoutSession: this.#withoutSession,
    };
  }
}
