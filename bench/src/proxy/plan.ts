import type { MemoryEffort } from './measure-memory.ts';
import type { RolloutEffort } from './measure-rollout.ts';
import type { ThroughputEffort } from './measure-throughput.ts';

/** How much to measure. */
export interface ProxyPlan {
  readonly throughput: ThroughputEffort;
  /** Exchanges on each way. */
  readonly latencySamples: number;
  /** Search rounds with known tools. */
  readonly searchSamples: number;
  readonly memory: MemoryEffort;
  readonly rollout: RolloutEffort;
  /** Exchanges with each store of sessions. */
  readonly sessionSamples: number;
}

/** What the committed tables are made with: a few minutes. */
export const FULL_PLAN: ProxyPlan = {
  throughput: { windows: 10, windowMs: 2_000 },
  latencySamples: 1_000,
  searchSamples: 400,
  memory: { exchanges: 20_000, step: 2_000 },
  rollout: { samples: 500, pauseMs: 20, windows: 5, windowMs: 2_000 },
  sessionSamples: 1_000,
};

/** The same marks, too few samples to quote: for a look while working. */
export const QUICK_PLAN: ProxyPlan = {
  throughput: { windows: 5, windowMs: 500 },
  latencySamples: 200,
  searchSamples: 100,
  memory: { exchanges: 2_000, step: 200 },
  rollout: { samples: 50, pauseMs: 20, windows: 2, windowMs: 500 },
  sessionSamples: 100,
};
