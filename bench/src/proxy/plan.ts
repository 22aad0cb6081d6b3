import type { DelayEffort } from './measure-delays.ts';
import type { ForwardingEffort } from './measure-forwarding.ts';
import type { InProcessEffort } from './measure-in-process.ts';
import type { LoadModesEffort } from './measure-load-modes.ts';
import type { MemoryEffort } from './measure-memory.ts';
import type { PairEffort } from './measure-pairs.ts';
import type { PeakEffort } from './measure-peak.ts';
import type { RolloutEffort } from './measure-rollout.ts';

/** Scope of a run. */
export interface ProxyPlan {
  readonly forwarding: ForwardingEffort;
  readonly firstContent: ForwardingEffort;
  /** Number of exchanges on each way. */
  readonly latencySamples: number;
  /** Number of search rounds with known tools. */
  readonly searchSamples: number;
  /** Number of starts of each process. */
  readonly starts: number;
  readonly peak: PeakEffort;
  readonly delays: DelayEffort;
  readonly growth: MemoryEffort;
  readonly rollout: RolloutEffort;
  /** Number of exchanges with each session store. */
  readonly sessionSamples: number;
  readonly pairs: PairEffort;
  readonly inProcess: InProcessEffort;
  readonly loadModes: LoadModesEffort;
}

/** The plan for the committed tables: about ten minutes. */
export const FULL_PLAN: ProxyPlan = {
  forwarding: { warmUp: 6_000, rounds: 8, windowMs: 500, connections: [1, 16, 64] },
  firstContent: { warmUp: 1_000, rounds: 10, windowMs: 500, connections: [16] },
  latencySamples: 500,
  searchSamples: 400,
  starts: 15,
  peak: { connections: 64, exchanges: 15_000, starts: 3 },
  delays: { bodies: 20, largest: 3 },
  growth: { exchanges: 20_000, step: 2_000 },
  rollout: { samples: 200, warmUp: 50, pauseMs: 20, windows: 3, windowMs: 500 },
  sessionSamples: 500,
  pairs: { pairs: 12, warmUp: 3_000, rounds: 8, windowMs: 100, connections: [1, 16] },
  inProcess: { rounds: 60, requests: 50 },
  loadModes: { rounds: 60, requests: 20 },
};

/** The same marks with too few samples to quote, for a quick check. */
export const QUICK_PLAN: ProxyPlan = {
  forwarding: { warmUp: 1_000, rounds: 8, windowMs: 100, connections: [1, 16] },
  firstContent: { warmUp: 500, rounds: 5, windowMs: 200, connections: [16] },
  latencySamples: 100,
  searchSamples: 50,
  starts: 3,
  peak: { connections: 64, exchanges: 5_000, starts: 1 },
  delays: { bodies: 3, largest: 1 },
  growth: { exchanges: 2_000, step: 200 },
  rollout: { samples: 20, warmUp: 10, pauseMs: 20, windows: 1, windowMs: 200 },
  sessionSamples: 50,
  pairs: { pairs: 1, warmUp: 1_000, rounds: 8, windowMs: 100, connections: [16] },
  inProcess: { rounds: 20, requests: 20 },
  loadModes: { rounds: 20, requests: 10 },
};
