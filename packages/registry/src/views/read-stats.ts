import { hash } from 'node:crypto';
import type { Sight } from '../content/sight.ts';
import type { RegistryStats } from '../registry.ts';
import type { RegistryParts } from './registry-parts.ts';

/** Computes the statistics of the tools in sight. */
export function readStats({ scope, searches, indexBytes }: RegistryParts, sight: Sight): RegistryStats {
  const digests: string[] = [];
  let [tools, backends] = [0, 0];
  const namespaces = new Set<string>();
  for (const tool of scope.tools.inOrder()) {
    if (!sight.sees(tool.namespace)) continue;
    tools++;
    backends += tool.backends.length;
    namespaces.add(tool.namespace);
    digests.push(tool.searchHash);
  }
  return {
    version: scope.version,
    epoch: scope.store.epoch.id,
    tools,
    backends,
    namespaces: namespaces.size,
    indexHash: hash('sha256', digests.join('\n')).slice(0, 32),
    ...(sight.key === '' && { indexBytes: indexBytes(), resultCache: searches.cacheState }),
  };
}
