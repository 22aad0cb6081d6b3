import {
  createMemoryStore,
  createPostgresStore,
  createSqliteStore,
  makeEpoch,
  type RegistryStore,
} from '@winnow/registry';
import type { Settings } from './config.ts';

/** The file of SQLite that stands for memory. */
export const IN_MEMORY = ':memory:';

/** Opens the configured store. Rejects with a message for the operator on failure. */
export async function openStore(
  { postgresUrl, sqliteFile }: Settings,
  randomId: () => string,
): Promise<RegistryStore> {
  const options = { makeEpoch: () => makeEpoch(randomId) };
  if (postgresUrl !== '') return createPostgresStore({ ...options, url: postgresUrl });
  if (sqliteFile === IN_MEMORY) return createMemoryStore(options);
  return createSqliteStore({ ...options, file: sqliteFile });
}
