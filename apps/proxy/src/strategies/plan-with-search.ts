import { describeBridgeTool, describeSearchTool } from '@winnow/core';
import { RecentMap } from '@winnow/service';
import {
  type Plan,
  type Preload,
  type RequestView,
  rememberBy,
  type SearchTool,
  setOf,
  type ToolSection,
} from '@winnow/wire';
import { BRIDGE_TOOL_NAME } from '../config/settings.ts';
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
}

/** Defers every tool that may be deferred, and gives the model a search tool. */
export function planWithSearch(input: PlanInput, { searchToolName, ...rules }: SearchPlanOptions): Plan {
  const { view, loaded, loadMode, kept } = input;
  const { toolSection } = view;
  if (toolSection === undefined || hasFewTools(toolSection, rules)) return bypass('few_tools');
  const deferrable = deferrableTools(view, rules, kept);
  const defer = namesToDefer(view, { deferrable: deferrable.names, loaded, loadMode });
  if (defer.length < LEAST_DEFERRED) return bypass('few_tools');
  const searchTool = searchToolOf(toolSection, searchToolName, deferrable.names);
  if (savesLittle(deferrable.bytes - searchToolBytes(searchTool), rules)) return bypass('few_tokens');
  const { load, preload } = visibleFromStart(input, defer, deferrable.names);
  const plan = { defer, load, searchTool, reason: 'deferred' } as const;
  switch (loadMode) {
    case 'swap':
      return { ...plan, loadMode };
    case 'native':
      return { ...plan, loadMode, ...(preload && { preload }) };
    case 'bridge': {
      if (hasCollision(view, [searchToolName, BRIDGE_TOOL_NAME])) return bypass('name_collision');
      const bridgeTool = bridgeToolOf(searchTool, BRIDGE_TOOL_NAME);
      return { ...plan, loadMode, bridgeTool, bridged: deferrable.names, ...(preload && { preload }) };
    }
    default:
      return loadMode satisfies never;
  }
}

/**
 * Returns the deferred tools that can be called already, the preloaded ones first, and those that the first
 * message brings. In swap mode, preloaded tools are in `tools`, after the search tool. In bridge mode, the
 * first message stays unchanged even if a request's `tool_choice` also shows one of its tools.
 */
function visibleFromStart(
  { loaded, loadMode, preloaded, groups = [], preloadForm: form }: PlanInput,
  defer: readonly string[],
  deferrable: readonly string[],
): { readonly load: readonly string[]; readonly preload: Preload | undefined } {
  if (preloaded.length === 0 && loaded.length === 0) return { load: NONE, preload: undefined };
  const isDeferred = setOf(defer);
  const mayBeBrought = loadMode === 'bridge' ? setOf(deferrable) : isDeferred;
  const names = preloaded.filter((name) => mayBeBrought.has(name));
  const isBrought = loadMode !== 'swap' && form !== undefined && names.length > 0;
  const isLoaded = loadMode === 'swap' || (isBrought && form !== 'names');
  const load = [...(isLoaded ? names : []), ...loaded].filter((name) => isDeferred.has(name));
  return {
    load: [...new Set(load)],
    preload: isBrought ? { names, form, ...(groups.length > 0 && { groups }) } : undefined,
  };
}

const NONE: readonly string[] = [];

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
const searchToolOf = rememberBy((_: ToolSection, name: string, names: readonly string[]) =>
  searchToolFor(name, names),
);

const bridgeToolOf = rememberBy(({ name: searchToolName }: SearchTool, name: string) =>
  describeBridgeTool(name, searchToolName),
);

/** Returns the search tool for these names; equal lists share one. */
function searchToolFor(name: string, names: readonly string[]): SearchTool {
  return described.getOrAdd(JSON.stringify([name, names]), () => describeSearchTool(name, names));
}
