import { RecentMap } from '@winnow/service';
import { describeSearchTool } from '@winnow/text';
import { type Plan, rememberBy, type SearchTool, type ToolSection } from '@winnow/wire';
import { bypass } from './bypass.ts';
import { deferrableTools, type KeepRules, namesToDefer } from './never-defer.ts';
import { hasFewTools, type SavingRules, savesLittle } from './saving-rules.ts';
import { searchToolBytes } from './search-tool-bytes.ts';
import type { PlanInput } from './strategy.ts';

/** Deferring a single tool costs more than it saves: the search tool takes its place. */
const LEAST_DEFERRED = 2;

/** What strategies with a search tool take of the settings. */
export interface SearchPlanOptions extends KeepRules, SavingRules {
  readonly searchToolName: string;
}

/** Defers every tool that may be deferred, and gives the model a search tool to find them with. */
export function planWithSearch(
  { view, loaded, loadMode, preloaded, isBound = false }: PlanInput,
  { searchToolName, ...rules }: SearchPlanOptions,
): Plan {
  const { toolSection } = view;
  if (toolSection === undefined || hasFewTools(toolSection, rules)) return bypass('few_tools');
  const deferrable = deferrableTools(view, rules, preloaded);
  const defer = namesToDefer(view, { deferrable: deferrable.names, loaded, loadMode });
  if (defer.length < LEAST_DEFERRED) return bypass('few_tools');
  const searchTool = searchToolOf(toolSection, searchToolName, deferrable.names, isBound);
  if (savesLittle(deferrable.bytes - searchToolBytes(searchTool), rules)) return bypass('few_tokens');
  const isDeferred = new Set(loaded.length > 0 ? defer : []);
  return {
    loadMode,
    defer,
    load: loaded.filter((name) => isDeferred.has(name)),
    searchTool,
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

/** The same for tools that come again, without a look at each name. */
const searchToolOf = rememberBy((_: ToolSection, name: string, names: readonly string[], isBound: boolean) =>
  searchToolFor(name, names, isBound),
);

/** The search tool for these names; the same ones are described once. Numbers would change with every tool that comes or goes. */
function searchToolFor(name: string, names: readonly string[], isBound: boolean): SearchTool {
  return described.getOrAdd(JSON.stringify([name, names, isBound]), () =>
    describeSearchTool(name, names, { counts: !isBound }),
  );
}
