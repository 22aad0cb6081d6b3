import { describeSearchTool, type Plan, type SearchTool } from '@winnow/wire';
import { RecentMap } from '../recent-map.ts';
import { bypass } from './bypass.ts';
import { deferrableNames, namesToDefer } from './never-defer.ts';
import type { PlanInput } from './strategy.ts';

/** Deferring a single tool costs more than it saves: the search tool takes its place. */
const LEAST_DEFERRED = 2;

/** Defers every tool that may be deferred, and gives the model a search tool to find them with. */
export function planWithSearch({ view, settings, loaded, loadMode }: PlanInput): Plan {
  const deferrable = deferrableNames(view, settings['pipes.tool_discovery.always_keep']);
  const defer = namesToDefer(view, { deferrable, loaded, loadMode });
  if (defer.length < LEAST_DEFERRED) return bypass('few_tools');
  const isDeferred = new Set(defer);
  return {
    loadMode,
    defer,
    load: loaded.filter((name) => isDeferred.has(name)),
    searchTool: searchToolFor(settings['pipes.tool_discovery.search_tool_name'], deferrable),
    reason: 'deferred',
  };
}

/** Catalogues whose descriptions are held; grouping a few hundred names costs more than the rest of a plan. */
const MAX_DESCRIBED = 64;

/** Characters of all names whose description is held. */
const MAX_DESCRIBED_CHARS = 4 * 1024 * 1024;

const described = new RecentMap<string, SearchTool>(MAX_DESCRIBED, {
  most: MAX_DESCRIBED_CHARS,
  weigh: (key) => key.length,
});

/** The search tool for these names; the same ones are described once. */
function searchToolFor(name: string, names: readonly string[]): SearchTool {
  return described.getOrAdd(JSON.stringify([name, names]), () => describeSearchTool(name, names));
}
