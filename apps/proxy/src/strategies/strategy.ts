import type { LoadMode, Plan, RequestView } from '@winnow/wire';

/** What a plan is made from, besides a strategy's own options. */
export interface PlanInput {
  readonly view: RequestView;
  /** Names that the history loads, in load order. */
  readonly loaded: readonly string[];
  /** Names of tools that stay visible from the start, as the conversation's first message asks for them. */
  readonly preloaded: readonly string[];
  /** Whether nothing that stands ahead of the conversation's thinking may change. */
  readonly isBound?: boolean;
  /** How found tools become visible in this exchange. */
  readonly loadMode: LoadMode;
}

/**
 * Decides which tools the model sees. `Options` are what it takes of the settings.
 *
 * Contract: pure and deterministic; equal arguments give an equal plan, whose bytes provider caches depend on; never throws; asked
 * only for requests that the format lets us edit.
 */
export interface Strategy<Options> {
  plan(input: PlanInput, options: Options): Plan;
  /** Who answers the model's searches; undefined when there are none. */
  readonly search: 'local' | 'selector' | undefined;
}

/** A strategy with its options. */
export interface ReadyStrategy {
  readonly plan: (input: PlanInput) => Plan;
  readonly search: Strategy<unknown>['search'];
}
