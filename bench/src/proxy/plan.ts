import type { DelayEffort } from './measure-delays.ts';
import type { ForwardingEffort } from './measure-forwarding.ts';
import type { InProcessEffort } from './measure-in-process.ts';
import type { MemoryEffort } from './measure-memory.ts';
import type { LoadEffort } from './measure-memory-after-load.ts';

/** Scope of a run. */
export interface ProxyPlan {
  readonly cost: ForwardingEffort & { readonly withFloor: boolean };
  readonly load: LoadEffort;
  /** Number of starts of each process. */
  readonly starts: number;
  readonly inProcess: InProcessEffort;
  /** Number of search rounds with known tools. */
  readonly searchSamples: number;
  readonly delays: DelayEffort;
  readonly growth: MemoryEffort;
}

/**
 * The plan for the committed table: about 25 minutes, of which ten measure memory. V8 compiles a function at its best
 * after 3,000 calls, and some are called in few requests only.
 */
export const FULL_PLAN: ProxyPlan = {
  cost: { warmUp: 20_000, rounds: 11, windowMs: 250, connections: [1, 16], withFloor: true },
  load: { connections: 16, seconds: 600 },
  starts: 15,
  inProcess: { rounds: 40, requests: 50 },
  searchSamples: 200,
  delays: { bodies: 10, largest: 2 },
  growth: { exchanges: 20_000, step: 2_000 },
};

/** The table in two minutes, to compare a change with what was before. */
export const QUICK_PLAN: ProxyPlan = {
  cost: { warmUp: 3_000, rounds: 9, windowMs: 150, connections: [1, 16], withFloor: false },
  load: { connections: 16, seconds: 10 },
  starts: 5,
  inProcess: { rounds: 20, requests: 20 },
  searchSamples: 50,
  delays: { bodies: 3, largest: 1 },
  growth: { exchanges: 2_000, step: 200 },
};
