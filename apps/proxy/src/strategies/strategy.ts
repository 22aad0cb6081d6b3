import type { LoadMode, Plan, RequestView } from '@winnow/wire';
import type { Settings } from '../config.ts';

/** What a plan is made from. */
export interface PlanInput {
  readonly view: RequestView;
  readonly settings: Settings;
  /** Names that the session has loaded, in load order. */
  readonly loaded: readonly string[];
  /** How found tools become visible in this exchange. */
  readonly loadMode: LoadMode;
}

/**
 * Decides which tools the model sees.
 *
 * Contract: pure and deterministic; equal input gives an equal plan, whose bytes provider caches depend on; never throws; asked
 * only for requests that the format lets us edit.
 */
export interface Strategy {
  readonly plan: (input: PlanInput) => Plan;
  /** Who answers the model's searches; undefined when there are none. */
  readonly search: 'local' | 'selector' | undefined;
}
