import type { Effort } from './measure-requests.ts';

/** Scope of a run. */
export interface MeasurePlan {
  /** Number of tools per catalogue. */
  readonly sizes: readonly number[];
  /** Sizes at which the rankers are also measured side by side: those with marks. */
  readonly rankerSizes: readonly number[];
  readonly effort: Effort;
  readonly load: {
    readonly coldTools: number;
    readonly coldRequests: number;
    readonly warmTools: number;
    readonly warmRequests: number;
  };
  readonly stall: { readonly tools: number; readonly rounds: number };
}

/** The plan for the committed tables: about five minutes. */
export const FULL_PLAN: MeasurePlan = {
  sizes: [50, 500, 2_000, 10_000],
  rankerSizes: [50, 500, 1_000, 2_000, 10_000],
  effort: { seconds: 10, fewest: 5, most: 200 },
  load: { coldTools: 2_000, coldRequests: 64, warmTools: 10_000, warmRequests: 64 },
  stall: { tools: 10_000, rounds: 5 },
};

/** The same marks with too few samples to quote, for a quick check. */
export const QUICK_PLAN: MeasurePlan = {
  sizes: [50, 500, 2_000],
  rankerSizes: [500, 1_000, 10_000],
  effort: { seconds: 2, fewest: 1, most: 50 },
  load: { coldTools: 2_000, coldRequests: 32, warmTools: 10_000, warmRequests: 16 },
  stall: { tools: 10_000, rounds: 1 },
};
