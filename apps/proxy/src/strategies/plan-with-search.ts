import { RecentMap } from '@winnow/service';
import { describeBridgeTool, describeSearchTool } from '@winnow/text';
import { type Plan, type RequestView, rememberBy, type SearchTool, type ToolSection } from '@winnow/wire';
import { bypass } from './bypass.ts';
import { deferrableTools, type KeepRules, namesToDefer } from './never-defer.ts';
import { hasFewTools, type SavingRules, savesLittle } from './saving-rules.ts';
import { searchToolBytes } from './search-tool-bytes.ts';
import type { PlanInput } from './strategy.ts';

/**
 * Minimum number of tools to defer: the search tool replaces them, so deferring one costs more than it saves.
 */
const LEAST_DEFERRED = 2;

/** Settings of strategies with a search tool. */
export interface SearchPlanOptions extends KeepRules, SavingRules {
  readonly searchToolName: string;
  readonly bridgeToolName: string;
}

/** Defers every tool that may be deferred, and gives the model a search tool. */
export function planWithSearch(
  { view, loaded, loadMode, preloaded, isBound = false }: PlanInput,
  { searchToolName, bridgeToolName, ...rules }: SearchPlanOptions,
): Plan {
  const { toolSection } = view;
  if (toolSection === undefined || hasFewTools(toolSection, rules)) return bypass('few_tools');
  const deferrable = deferrableTools(view, rules, preloaded);
  const defer = namesToDefer(view, { deferrable: deferrable.names, loaded, loadMode });
  if (defer.length < LEAST_DEFERRED) return bypass('few_tools');
  const searchTool = searchToolOf(toolSection, searchToolName, deferrable.names, isBound);
  if (savesLittle(deferrable.bytes - searchToolBytes(searchTool), rules)) return bypass('few_tokens');
  const isDeferred = new Set(loaded.length > 0 ? defer : []);
  const plan = {
    defer,
    load: loaded.filter((name) => isDeferred.has(name)),
    searchTool,
    reason: 'deferred',
  } as const;
  if (loadMode !== 'bridge') return { ...plan, loadMode };
  if (hasCollision(view, [searchToolName, bridgeToolName])) return bypass('name_collision');
  const bridgeTool = describeBridgeTool(bridgeToolName, searchToolName);
  return { ...plan, loadMode, bridgeTool, bridged: deferrable.names };
}

/** Whether the client has a tool of these names, or its history calls one. */
function hasCollision({ tools, calledNames }: RequestView, names: readonly string[]): boolean {
  return names.some((own) => calledNames.has(own) || tools.some(({ name }) => name === own));
}

/** Maximum number of cached descriptions; grouping a few hundred names costs more than the rest of a plan. */
const MAX_DESCRIBED = 64;

/** Maximum length of all names with cached descriptions, in characters. */
const MAX_DESCRIBED_CHARS = 4 * 1024 * 1024;

const described = new RecentMap<string, SearchTool>(MAX_DESCRIBED, {
  most: MAX_DESCRIBED_CHARS,
  weigh: (key) => key.length,
});

/** Looks the search tool up by list identity, without comparing names. */
const searchToolOf = rememberBy((_: ToolSection, name: string, names: readonly string[], isBound: boolean) =>
  searchToolFor(name, names, isBound),
);

/**
 * Returns the search tool for these names; equal lists share one. A bound description has no counts, as these
 * would change whenever a tool is added or removed.
 */
function searchToolFor(name: string, names: readonly string[], isBound: boolean): SearchTool {
  return described.getOrAdd(JSON.stringify([name, names, isBound]), () =>
    describeSearchTool(name, names, { counts: !isBound }),
  );
}
