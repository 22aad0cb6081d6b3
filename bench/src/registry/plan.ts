export const STORES = ['memory', 'sqlite', 'postgres'] as const;
export type StoreName = (typeof STORES)[number];

/** Scope of a run. */
export interface RegistryPlan {
  readonly stores: readonly StoreName[];
  /** Number of tools in a registry of one instance. */
  readonly tools: number;
  /** Number of tools in a registry of two instances over Postgres. */
  readonly manyTools: number;
  readonly changesPerSecond: number;
  /** The same for the large registry, whose mark requires none. */
  readonly manyChangesPerSecond: number;
  /** Time for which searches are measured while changes arrive. */
  readonly seconds: number;
  /** Number of changes through one instance that are looked up on the other. */
  readonly visible: number;
  /** Number of starts from a full store. */
  readonly starts: number;
  /** Number of registrations of each kind that may stall the event loop. */
  readonly stalls: number;
}

/** The plan for the committed tables: about five minutes. */
export const FULL_PLAN: RegistryPlan = {
  stores: STORES,
  tools: 20_000,
  manyTools: 200_000,
  changesPerSecond: 100,
  manyChangesPerSecond: 10,
  seconds: 20,
  visible: 20,
  starts: 5,
  stalls: 5,
};

/** The same plan, too short to quote, for a quick check. */
export const QUICK_PLAN: RegistryPlan = {
  ...FULL_PLAN,
  tools: 2_000,
  manyTools: 25_000,
  seconds: 4,
  visible: 5,
  starts: 2,
  stalls: 2,
};
