import { RegistryCall, RegistryOffer, type StoredRecord } from '@winnow/contract';
import { type Counts, CountsTally } from '../counting/counts.ts';
import { knownReason } from '../counting/known-reason.ts';
import { millisecondsTally, type Spread } from '../counting/spread.ts';

/** What became of requests that asked for the registry's tools, and what models called of them. */
export interface Offers {
  readonly asked: number;
  readonly offers: Counts<RegistryOffer | 'unknown'>;
  readonly calls: number;
  /** By tool and outcome, such as `call_tool not_read_only`. */
  readonly outcomes: Counts<string>;
  readonly ms: Spread;
}

/** Gathers `Offers`. */
export class OffersTally {
  readonly #offers = new CountsTally<RegistryOffer | 'unknown'>();
  readonly #outcomes = new CountsTally<string>();
  readonly #ms = millisecondsTally();
  #asked = 0;
  #calls = 0;

  add({ registryOffer, registryCalls = [] }: StoredRecord): void {
    if (registryOffer !== undefined) {
      this.#asked++;
      this.#offers.add(knownReason(RegistryOffer, registryOffer));
    }
    for (const { tool, outcome, ms } of registryCalls) {
      this.#calls++;
      const known = knownReason(RegistryCall.shape.outcome, outcome);
      this.#outcomes.add(`${knownReason(RegistryCall.shape.tool, tool)} ${known}`);
      this.#ms.add(ms);
    }
  }

  result(): Offers {
    return {
      asked: this.#asked,
      offers: this.#offers.result(),
      calls: this.#calls,
      outcomes: this.#outcomes.result(),
      ms: this.#ms.result(),
    };
  }
}
