import { PRICES, type PriceTable, type StoredRecord, ToolCosts, type ToolListRecord } from '@winnow/core';
import { resultsOf } from './counting/tallies.ts';
import { StepsTally } from './rollout-step.ts';
import { FallbacksTally } from './sections/fallbacks.ts';
import { LatencyTally, SessionsTally } from './sections/latency.ts';
import { MoneyTally } from './sections/money.ts';
import { SearchesTally } from './sections/searches.ts';
import { ToolsTally } from './sections/tools.ts';
import { TrafficTally } from './sections/traffic.ts';
import { WatchingTally } from './sections/watching.ts';
import { SuggestionsTally } from './suggestions.ts';

/** All numbers of a report. */
export type Sections = ReturnType<SectionsTally['result']>;

/** Gathers all sections from records in any order, in bounded memory. */
export class SectionsTally {
  readonly #tallies;

  constructor(prices: PriceTable = PRICES) {
    this.#tallies = {
      steps: new StepsTally(),
      traffic: new TrafficTally(),
      money: new MoneyTally(prices),
      suggestions: new SuggestionsTally(),
      tools: new ToolsTally(),
      toolCosts: new ToolCosts(),
      searches: new SearchesTally(),
      fallbacks: new FallbacksTally(),
      latency: new LatencyTally(),
      watching: new WatchingTally(),
      sessions: new SessionsTally(),
    };
  }

  add(record: StoredRecord): void {
    for (const tally of Object.values(this.#tallies)) tally.add(record);
  }

  /** Adds a list of tools that records refer to. */
  addList(list: ToolListRecord): void {
    this.#tallies.suggestions.addList(list);
    this.#tallies.toolCosts.addList(list.id, list.tools);
  }

  result() {
    return resultsOf(this.#tallies);
  }
}
