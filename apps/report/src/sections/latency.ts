import type { RolloutArm, StoredRecord } from '@winnow/contract';
import { millisecondsTally, type Spread } from '../counting/spread.ts';

/** What clients of one arm waited for, in milliseconds. */
export interface ArmLatency {
  /** For the proxy's own work: plan, searches and session store. */
  readonly added: Spread;
  readonly plan: Spread;
  readonly session: Spread;
  /** Over exchanges with a search. */
  readonly search: Spread;
  /** Over exchanges with a hidden round: requests to the upstream that the client has not asked for. */
  readonly hiddenRounds: Spread;
  /** The whole exchange, the upstream's time included. */
  readonly total: Spread;
}

/** By arm; those without an exchange are absent. */
export type Latency = Readonly<Partial<Record<RolloutArm, ArmLatency>>>;

/** Gathers `Latency`. */
export class LatencyTally {
  readonly #arms = new Map<RolloutArm, ArmLatencyTally>();

  add(record: StoredRecord): void {
    const tally = this.#arms.get(record.arm) ?? new ArmLatencyTally();
    this.#arms.set(record.arm, tally);
    tally.add(record);
  }

  result(): Latency {
    return Object.fromEntries([...this.#arms].map(([arm, tally]) => [arm, tally.result()]));
  }
}

class ArmLatencyTally {
  readonly #added = millisecondsTally();
  readonly #plan = millisecondsTally();
  readonly #session = millisecondsTally();
  readonly #search = millisecondsTally();
  readonly #hiddenRounds = millisecondsTally();
  readonly #total = millisecondsTally();

  add(record: StoredRecord): void {
    this.#added.add(record.addedMs);
    this.#plan.add(record.planMs);
    this.#session.add(record.sessionMs);
    if (record.searches.length > 0) this.#search.add(record.searchMs);
    if (record.hiddenRoundsMs > 0) this.#hiddenRounds.add(record.hiddenRoundsMs);
    this.#total.add(record.totalMs);
  }

  result(): ArmLatency {
    return {
      added: this.#added.result(),
      plan: this.#plan.result(),
      session: this.#session.result(),
      search: this.#search.result(),
      hiddenRounds: this.#hiddenRounds.result(),
      total: this.#total.result(),
    };
  }
}
