import { randomBytes } from 'node:crypto';
import {
  createMemoryStore,
  createPostgresStore,
  createRegistry,
  createSqliteStore,
  makeEpoch,
  type Registry,
  type RegistryOptions,
  type RegistryStore,
} from '@winnow/registry';

export * from '@winnow/registry';
export * from '../../packages/registry/src/library.ts';

type Epoch = ReturnType<typeof makeEpoch>;

/** The place where a registry keeps its tools, and its other options. */
export interface OpenRegistryOptions extends Partial<Omit<RegistryOptions, 'store'>> {
  /** Path of a SQLite file, created if missing. Without this and `postgres`, tools are kept in memory. */
  readonly file?: string;
  /**
   * Address of a Postgres database, such as `postgres://user:password@host:5432/database`. Requires the
   * package `pg`.
   */
  readonly postgres?: string;
}

/**
 * Opens a registry that uses the system's clock and random numbers.
 *
 * ```ts
 * const registry = await openRegistry({ file: 'tools.sqlite' });
 * ```
 *
 * Rejects with a `StoreError` if the store cannot be opened. `close` closes the store as well.
 */
export async function openRegistry({
  file,
  postgres,
  ...options
}: OpenRegistryOptions = {}): Promise<Registry> {
  const randomId = options.randomId ?? (() => randomBytes(32).toString('hex'));
  const store = await openStore({ file, postgres }, () => makeEpoch(randomId));
  const registry = await createRegistry({
    clock: { now: () => performance.now(), wallClock: () => Date.now() },
    ...options,
    randomId,
    store,
  });
  const close = registry.close.bind(registry);
  // The store belongs to this registry alone.
  registry.close = async () => {
    await close();
    await store.close();
  };
  return registry;
}

function openStore(
  { file, postgres }: { file: string | undefined; postgres: string | undefined },
  makeNewEpoch: () => Epoch,
): Promise<RegistryStore> {
  if (postgres !== undefined) return createPostgresStore({ url: postgres, makeEpoch: makeNewEpoch });
  if (file !== undefined) return createSqliteStore({ file, makeEpoch: makeNewEpoch });
  return Promise.resolve(createMemoryStore({ makeEpoch: makeNewEpoch }));
}
