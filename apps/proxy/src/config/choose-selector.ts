import type { ReadSettings } from '@winnow/service';
import type { NAMED_SETTINGS, SETTINGS } from './settings.ts';

/** The selector to query. */
export interface SelectorChoice {
  /** Empty if no selector is configured. */
  readonly endpoint: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /**
   * The provider whose certificate files apply; undefined for the endpoint of `tools.api`, which has none.
   */
  readonly provider: string | undefined;
}

/**
 * Returns the endpoint of `tools.api`, or else the named provider. The key and timeout are the provider's
 * unless `tools.api` sets its own: settings next to the strategy take precedence wherever the selector runs.
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
