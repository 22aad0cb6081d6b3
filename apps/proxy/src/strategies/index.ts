import type { Settings } from '../config/config.ts';
import { api } from './api.ts';
import type { KeepRules } from './never-defer.ts';
import { passthrough } from './passthrough.ts';
import type { SearchPlanOptions } from './plan-with-search.ts';
import { relevance } from './relevance.ts';
import type { SavingRules } from './saving-rules.ts';
import type { ReadyStrategy, Strategy } from './strategy.ts';
import { toolSearch } from './tool-search.ts';

/** A strategy as the configuration has it. */
interface ConfigurableStrategy extends Pick<ReadyStrategy, 'search'> {
  /** The strategy with its options read off the settings. */
  readonly configure: (settings: Settings) => ReadyStrategy;
}

/** Every strategy by its name in the configuration. */
export const STRATEGIES: Readonly<Record<Settings['tools.strategy'], ConfigurableStrategy>> = {
  passthrough: withOptions(passthrough, () => undefined),
  relevance: withOptions(relevance, (settings) => ({
    ...keepRules(settings),
    ...savingRules(settings),
    maxTools: settings['tools.max_tools'],
    targetRatio: settings['tools.target_ratio'],
  })),
  'tool-search': withOptions(toolSearch, searchPlanOptions),
  api: withOptions(api, searchPlanOptions),
};

function searchPlanOptions(settings: Settings): SearchPlanOptions {
  return {
    ...keepRules(settings),
    ...savingRules(settings),
    searchToolName: settings['tools.search_tool_name'],
  };
}

function keepRules(settings: Settings): KeepRules {
  return {
    alwaysKeep: settings['tools.always_keep'],
    maxNamed: settings['tools.max_tools'],
  };
}

function savingRules(settings: Settings): SavingRules {
  return {
    minTools: settings['tools.min_tools'],
    minDeferredTokens: settings['tools.min_deferred_tokens'],
  };
}

function withOptions<Options>(
  strategy: Strategy<Options>,
  optionsOf: (settings: Settings) => Options,
): ConfigurableStrategy {
  return {
    search: strategy.search,
    configure(settings) {
      const options = optionsOf(settings);
      return { search: strategy.search, plan: (input) => strategy.plan(input, options) };
    },
  };
}
