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

/** Where tools are kept, and what else a registry may be told. */
export interface OpenRegistryOptions extends Partial<Omit<RegistryOptions, 'store'>> {
  /** A SQLite file, made when there is none. Memory when neither this nor `postgres` is given. */
  readonly file?: string;
  /** The address of a Postgres database, such as `postgres://user:password@host:5432/database`. Needs the package `pg`. */
  readonly postgres?: string;
}

/**
 * Opens a registry with this machine's clock and randomness.
 *
 * ```ts
 * const registry = await openRegistry({ file: 'tools.sqlite' });
 * ```
 *
 * Rejects with a `StoreError` when the store cannot be opened. `close` closes the store as well.
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
  // Nobody else knows of the store.
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
