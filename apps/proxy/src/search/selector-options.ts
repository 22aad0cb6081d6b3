import type { Config } from '../config.ts';
import type { SelectorOptions } from './selector.ts';

/** How the selector is asked: the endpoint of `api`, else the named provider, and what may be sent and found. */
export function selectorOptions({ settings, providers }: Config): SelectorOptions {
  const own = settings['pipes.tool_discovery.api.endpoint'];
  const provider = providers[settings['pipes.tool_discovery.provider']];
  const asked =
    own !== '' || !provider
      ? {
          endpoint: own,
          apiKey: settings['pipes.tool_discovery.api.api_key'],
          timeoutMs: settings['pipes.tool_discovery.api.timeout'],
        }
      : { endpoint: provider.endpoint, apiKey: provider.api_key, timeoutMs: provider.timeout };
  return {
    ...asked,
    limit: settings['pipes.tool_discovery.max_search_results'],
    alwaysKeep: settings['pipes.tool_discovery.always_keep'],
    redact: {
      descriptions: settings['pipes.tool_discovery.redact.descriptions'],
      sendDefinition: settings['pipes.tool_discovery.redact.send_definition'],
    },
  };
}
