import type { LoadMode, Plan, PreloadForm, RequestView } from '@winnow/wire';

/** The input of a plan besides a strategy's own options. */
export interface PlanInput {
  readonly view: RequestView;
  /** Names that the history loads, in load order. */
  readonly loaded: readonly string[];
  /** Names of tools that are visible from the start, chosen by the conversation's first message. */
  readonly preloaded: readonly string[];
  /** Groups that the search tool does not name and that may fit the first message; none by default. */
  readonly groups?: readonly string[] | undefined;
  /**
   * The way in which the request brings these tools, in a load mode where the tools of the request do not
   * change; undefined where it cannot bring any.
   */
  readonly preloadForm?: PreloadForm | undefined;
  /** Names of tools that must not be deferred, because earlier requests did not; none by default. */
  readonly kept?: readonly string[] | undefined;
  /** The way in which found tools become visible in this exchange. */
  readonly loadMode: LoadMode;
}

/**
 * Decides which tools the model sees. `Options` are its settings.
 *
 * Contract: pure and deterministic; equal arguments give an equal plan, whose bytes provider caches depend
 * on; never throws; called only for requests that may be edited in their format.
 */
export interface Strategy<Options> {
  plan(input: PlanInput, options: Options): Plan;
  /** The search that resolves the model's queries; undefined if there is none. */
  readonly search: 'local' | 'selector' | undefined;
}

/** A strategy with its options. */
export interface ReadyStrategy {
  readonly plan: (input: PlanInput) => Plan;
  readonly search: Strategy<unknown>['search'];
}
