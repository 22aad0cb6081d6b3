import type { StoredRecord } from '@winnow/contract';
import { PRICES, type PriceTable } from '@winnow/prices';
import { type StepsSeen, StepsTally } from './rollout-step.ts';
import { type Fallbacks, FallbacksTally } from './sections/fallbacks.ts';
import { type Latency, LatencyTally } from './sections/latency.ts';
import { type Money, MoneyTally } from './sections/money.ts';
import { type Offers, OffersTally } from './sections/offers.ts';
import { type Searches, SearchesTally } from './sections/searches.ts';
import { type Sessions, SessionsTally } from './sections/sessions.ts';
import { type Timeline, TimelineTally } from './sections/timeline.ts';
import { type Tools, ToolsTally } from './sections/tools.ts';
import { type Traffic, TrafficTally } from './sections/traffic.ts';
import { type Watching, WatchingTally } from './sections/watching.ts';

/** All numbers of a report. */
export interface Sections {
  readonly steps: StepsSeen;
  readonly traffic: Traffic;
  readonly money: Money;
  readonly tools: Tools;
  readonly searches: Searches;
  readonly offers: Offers;
  readonly fallbacks: Fallbacks;
  readonly latency: Latency;
  readonly watching: Watching;
  readonly sessions: Sessions;
  readonly timeline: Timeline;
}

/** Gathers all sections from records in any order. Its memory is bounded, whatever comes. */
export class SectionsTally {
  readonly #tallies;
  readonly #all: readonly { add(record: StoredRecord): void }[];

  constructor(prices: PriceTable = PRICES) {
    this.#tallies = {
      steps: new StepsTally(),
      traffic: new TrafficTally(),
      money: new MoneyTally(prices),
      tools: new ToolsTally(),
      searches: new SearchesTally(),
      offers: new OffersTally(),
      fallbacks: new FallbacksTally(),
      latency: new LatencyTally(),
      watching: new WatchingTally(),
      sessions: new SessionsTally(),
      timeline: new TimelineTally(),
    };
    this.#all = Object.values(this.#tallies);
  }

  add(record: StoredRecord): void {
    for (const tally of this.#all) tally.add(record);
  }

  result(): Sections {
    const tallies = this.#tallies;
    return {
      steps: tallies.steps.result(),
      traffic: tallies.traffic.result(),
      money: tallies.money.result(),
      tools: tallies.tools.result(),
      searches: tallies.searches.result(),
      offers: tallies.offers.result(),
      fallbacks: tallies.fallbacks.result(),
      latency: tallies.latency.result(),
      watching: tallies.watching.result(),
      sessions: tallies.sessions.result(),
      timeline: tallies.timeline.result(),
    };
  }
}
