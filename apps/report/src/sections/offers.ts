import { RegistryCall, RegistryOffer, type StoredRecord } from '@winnow/core';
import { CountsTally, sumOf } from '../counting/counts.ts';
import { knownReason } from '../counting/known-reason.ts';
import { millisecondsTally } from '../counting/spread.ts';

/** Gathers requests that asked for the registry's tools, and the calls of these tools by models. */
export class OffersTally {
  readonly #offers = new CountsTally<RegistryOffer | 'unknown'>();
  readonly #outcomes = new CountsTally<string>();
  readonly #ms = millisecondsTally();

  add({ registryOffer, registryCalls = [] }: StoredRecord): void {
    if (registryOffer !== undefined) this.#offers.add(knownReason(RegistryOffer, registryOffer));
    for (const { tool, outcome, ms } of registryCalls) {
      const known = knownReason(RegistryCall.shape.outcome, outcome);
      this.#outcomes.add(`${knownReason(RegistryCall.shape.tool, tool)} ${known}`);
      this.#ms.add(ms);
    }
  }

  result() {
    const offers = this.#offers.result();
    const ms = this.#ms.result();
    /** By tool and outcome, such as `call_tool not_read_only`. */
    const outcomes = this.#outcomes.result();
    return { asked: sumOf(offers), offers, calls: ms.count, outcomes, ms };
  }
}
