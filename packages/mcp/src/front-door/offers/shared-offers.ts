import type { McpServers } from '../../servers/mcp-servers.ts';
import { type DirectoryServer, OfferDirectory } from './offer-directory.ts';
import { OfferSearch } from './search-offers.ts';

/** The offers of some servers by name and by words. */
export interface VisibleOffers {
  readonly directory: OfferDirectory;
  readonly search: OfferSearch;
}

/** Most sets of servers whose offers are kept by name: callers with equal sights share one. */
const MOST_KEPT = 8;

interface Kept extends VisibleOffers {
  readonly version: number;
}

const known = new WeakMap<McpServers, Map<string, Kept>>();

/** Returns the offers of these servers, made anew only when some have changed. */
export function offersAmong(servers: McpServers, seen: readonly DirectoryServer[]): VisibleOffers {
  const sets = known.get(servers) ?? new Map<string, Kept>();
  known.set(servers, sets);
  const key = JSON.stringify(seen.map(({ name }) => name));
  const before = sets.get(key);
  sets.delete(key);
  const { offersVersion: version } = servers;
  const kept = before?.version === version ? before : { version, ...make(servers, seen) };
  sets.set(key, kept);
  for (const oldest of sets.keys()) if (sets.size > MOST_KEPT) sets.delete(oldest);
  return kept;
}

function make(servers: McpServers, seen: readonly DirectoryServer[]): VisibleOffers {
  const directory = new OfferDirectory(seen, (server) => servers.offersOf(server));
  return { directory, search: new OfferSearch(directory.all) };
}
