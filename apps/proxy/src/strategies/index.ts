import type { Settings } from '../config/config.ts';
import { bypass } from './bypass.ts';
import type { KeepRules } from './never-defer.ts';
import { planWithSearch, type SearchPlanOptions } from './plan-with-search.ts';
import { relevance } from './relevance.ts';
import type { SavingRules } from './saving-rules.ts';
import type { ReadyStrategy, Strategy } from './strategy.ts';

/** A strategy as configured. */
interface ConfigurableStrategy extends Pick<ReadyStrategy, 'search'> {
  /** Returns the strategy with its options from the settings. */
  readonly configure: (settings: Settings) => ReadyStrategy;
}

/** All strategies by their names in the configuration. */
export const STRATEGIES: Readonly<Record<Settings['tools.strategy'], ConfigurableStrategy>> = {
  /** Changes nothing. */
  passthrough: withOptions({ plan: () => bypass('passthrough'), search: undefined }, () => undefined),
  relevance: withOptions(relevance, (settings) => ({
    ...keepRules(settings),
    ...savingRules(settings),
    maxTools: settings['tools.max_tools'],
    targetRatio: settings['tools.target_ratio'],
  })),
  /** Defers all tools that may be deferred; this process resolves the model's searches. */
  'tool-search': withOptions({ plan: planWithSearch, search: 'local' }, searchPlanOptions),
  /** Defers all tools that may be deferred; the selector resolves the model's searches. */
  api: withOptions({ plan: planWithSearch, search: 'selector' }, searchPlanOptions),
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
