import type { StoredRecord } from '@winnow/core';
import { resultsOf } from '../counting/results-of.ts';
import { millisecondsTally } from '../counting/spread.ts';
import { TallyByArm } from '../counting/tally-by-arm.ts';

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
    plan: millisecondsTally(),
    session: millisecondsTally(),
    /** Over exchanges with a search. */
    search: millisecondsTally(),
    /** Over exchanges with a hidden round: a request to the upstream that the client did not make. */
    hiddenRounds: millisecondsTally(),
    /** The whole exchange, including the upstream's time. */
    total: millisecondsTally(),
  };

  add(record: StoredRecord): void {
    const { added, plan, session, search, hiddenRounds, total } = this.#tallies;
    added.add(record.addedMs);
    plan.add(record.planMs);
    session.add(record.sessionMs);
    if (record.searches.length > 0) search.add(record.searchMs);
    if (record.hiddenRoundsMs > 0) hiddenRounds.add(record.hiddenRoundsMs);
    total.add(record.totalMs);
  }

  result() {
    return resultsOf(this.#tallies);
  }
}
