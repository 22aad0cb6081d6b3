export const STORES = ['memory', 'sqlite', 'postgres'] as const;
export type StoreName = (typeof STORES)[number];

/** What docs/reference/registry-settings.md asks of a database of 200,000 tools: room for the index and its table. Postgres takes 128 MB when nobody says. */
export const POSTGRES_BUFFERS = '512MB';

/** How much to measure. */
export interface RegistryPlan {
  readonly stores: readonly StoreName[];
  /** Tools of a registry that is searched by an index of its process. */
  readonly tools: number;
  /** Tools of a registry that is searched by the database. */
  readonly manyTools: number;
  readonly changesPerSecond: number;
  /** The same for the large registry, whose mark asks for none. */
  readonly manyChangesPerSecond: number;
  /** How long searches are measured while changes arrive. */
  readonly seconds: number;
  /** Changes of one instance that are looked for on the other. */
  readonly visible: number;
  /** Starts from a full store. */
  readonly starts: number;
}

/** What the committed tables are made with: about five minutes. */
export const FULL_PLAN: RegistryPlan = {
  stores: STORES,
  tools: 20_000,
  manyTools: 200_000,
  changesPerSecond: 100,
  manyChangesPerSecond: 10,
  seconds: 20,
  visible: 20,
  starts: 5,
};

/** The same, too little to quote: for a look while working. */
export const QUICK_PLAN: RegistryPlan = {
  ...FULL_PLAN,
  tools: 2_000,
  manyTools: 25_000,
  seconds: 4,
  visible: 5,
  starts: 2,
};
