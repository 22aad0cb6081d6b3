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

/** Gathers `Sessions`. */
export class SessionsTally {
  readonly #sample: SessionSample;
  #withoutSession = 0;

  constructor(sample = new SessionSample()) {
    this.#sample = sample;
  }

  add({ session, arm, armReason }: StoredRecord): void {
    if (session === undefined) this.#withoutSession++;
    else this.#sample.add(session, armReason === 'overridden' ? 0 : ARM_BITS[arm]);
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
