import {
  createMemoryStore,
  createPostgresStore,
  createSqliteStore,
  makeEpoch,
  type RegistryStore,
} from '@winnow/registry';
import type { Settings } from './config.ts';

/** Opens the configured store. Rejects with a message for the operator on failure. */
export async function openStore(settings: Settings, randomId: () => string): Promise<RegistryStore> {
  const newEpoch = () => makeEpoch(randomId);
  switch (settings.store) {
    case 'memory':
      return createMemoryStore({ makeEpoch: newEpoch });
    case 'sqlite':
      return createSqliteStore({ file: settings.sqliteFile, makeEpoch: newEpoch });
    case 'postgres':
      return createPostgresStore({ url: settings.postgresUrl, makeEpoch: newEpoch });
  }
}
