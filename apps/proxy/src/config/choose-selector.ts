import type { ReadSettings } from '@winnow/service';
import type { NAMED_SETTINGS, SETTINGS } from './settings.ts';

/** The selector that is asked. */
export interface SelectorChoice {
  /** Empty when none is configured. */
  readonly endpoint: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** The provider whose certificate files are used; undefined for an endpoint of `api`, which has none of its own. */
  readonly provider: string | undefined;
}

/**
 * The endpoint of `api`, else the named provider. Its key and its time limit are the provider's, unless those of `api` are set: whoever
 * writes them down next to the strategy means them, wherever the selector stands.
 */
export function chooseSelector({
  values: settings,
  members: { providers },
  originOf,
}: ReadSettings<typeof SETTINGS, typeof NAMED_SETTINGS>): SelectorChoice {
  const own = {
    endpoint: settings['tools.api.endpoint'],
    apiKey: settings['tools.api.api_key'],
    timeoutMs: settings['tools.api.timeout'],
  };
  const name = settings['tools.provider'];
  const provider = providers[name];
  if (own.endpoint !== '' || !provider) return { ...own, provider: undefined };
  const isTimeoutSet = originOf('tools.api.timeout') !== undefined;
  return {
    endpoint: provider.endpoint,
    apiKey: own.apiKey || provider.api_key,
    timeoutMs: isTimeoutSet ? own.timeoutMs : provider.timeout,
    provider: name,
  };
}
