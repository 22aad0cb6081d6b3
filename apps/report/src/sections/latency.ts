import type { RolloutArm, StoredRecord } from '@winnow/core';
import { SessionSample } from '../counting/session-sample.ts';
import { countsTally, millisecondsTally } from '../counting/spread.ts';
import { resultsOf, TallyByArm } from '../counting/tallies.ts';

/** The times that clients of one arm waited, in milliseconds. */
export type ArmLatency = ReturnType<ArmLatencyTally['result']>;

/** Gathers the times that clients waited, by arm. */
export class LatencyTally {
  readonly #arms = new TallyByArm(() => new ArmLatencyTally());

  add(record: StoredRecord): void {
    this.#arms.of(record).add(record);
  }

  result() {
    return this.#arms.result();
  }
}

class ArmLatencyTally {
  readonly #tallies = {
    /** The proxy's own work: plan, searches and session store. */
    added: millisecondsTally(),
    /** Over exchanges with a hidden round: a request to the upstream that the client did not make. */
    hiddenRounds: millisecondsTally(),
    /** The whole exchange, including the upstream's time. */
    total: millisecondsTally(),
  };

  add(record: StoredRecord): void {
    const { added, hiddenRounds, total } = this.#tallies;
    added.add(record.addedMs);
    if (record.hiddenRoundsMs > 0) hiddenRounds.add(record.hiddenRoundsMs);
    total.add(record.totalMs);
  }

  result() {
    return resultsOf(this.#tallies);
  }
}

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
