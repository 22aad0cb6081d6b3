import type { RolloutArm, StoredRecord } from '@winnow/contract';
import { SessionSample } from '../counting/session-sample.ts';
import { countsTally, type Spread } from '../counting/spread.ts';

/** Conversations, as far as they could be told apart. */
export interface Sessions {
  /** Exact, or an estimate when `isExact` is false. */
  readonly count: number;
  readonly isExact: boolean;
  /** Sessions that the figures below are taken from: all of them, or a fair sample. */
  readonly sampled: number;
  readonly exchangesPerSession: Spread;
  /** Among `sampled`: seen in more than one arm, exchanges whose request chose its arm aside. */
  readonly inSeveralArms: number;
  readonly exchangesWithoutSession: number;
}

const ARM_BITS: Readonly<Record<RolloutArm, number>> = { off: 1, dark: 2, shadow: 4, full: 8 };

/** What is known of one session. */
interface SessionEntry {
  exchanges: number;
  /** The arms it was seen in, one bit each. */
  arms: number;
}

/** Gathers `Sessions`. */
export class SessionsTally {
  readonly #sample = new SessionSample<SessionEntry>(() => ({ exchanges: 0, arms: 0 }));
  #withoutSession = 0;

  add({ session, arm, armReason }: StoredRecord): void {
    if (session === undefined) {
      this.#withoutSession++;
      return;
    }
    const entry = this.#sample.entryOf(session);
    if (entry === undefined) return;
    entry.exchanges++;
    if (armReason !== 'overridden') entry.arms |= ARM_BITS[arm];
  }

  result(): Sessions {
    const exchanges = countsTally();
    let inSeveralArms = 0;
    for (const entry of this.#sample.entries) {
      exchanges.add(entry.exchanges);
      if (hasSeveralBits(entry.arms)) inSeveralArms++;
    }
    return {
      count: this.#sample.heldCount * this.#sample.weight,
      isExact: this.#sample.weight === 1,
      sampled: this.#sample.heldCount,
      exchangesPerSession: exchanges.result(),
      inSeveralArms,
      exchangesWithoutSession: this.#withoutSession,
    };
  }
}

function hasSeveralBits(bits: number): boolean {
  return (bits & (bits - 1)) !== 0;
}
