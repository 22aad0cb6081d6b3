import type { ExchangeRecord } from '@winnow/contract';
import type { Config } from '../config/config.ts';
import { rolloutModes } from '../config/profiles.ts';
import { STRATEGIES } from '../strategies/index.ts';
import { SelectorWatch, type SelectorWatchOptions } from './selector-watch.ts';

/** Watches the selector through the records of exchanges. */
export interface OpenSelectorWatch {
  /** Whether a selector is in use. */
  readonly isAsked: boolean;
  /** Probes the selector for the first time. */
  start(): void;
  /** Receives the record of an exchange. */
  take(record: Pick<ExchangeRecord, 'searches' | 'observation'>): void;
  close(): void;
}

/** Opens the watch over the selector; it does nothing if no selector is in use. */
export function openSelectorWatch(
  config: Config,
  probe: SelectorWatchOptions['probe'],
  effects: Pick<SelectorWatchOptions, 'now' | 'wallClock' | 'every' | 'writeLog'>,
): OpenSelectorWatch {
  const {
    settings,
    selector: { provider },
  } = config;
  const isOn = [...rolloutModes(config)].some((mode) => mode !== 'off');
  const isAsked =
    STRATEGIES[settings['tools.strategy']].search === 'selector' &&
    settings['tools.enabled'] &&
    (isOn || settings['rollout.allow_override']);
  if (!isAsked) return { isAsked, start() {}, take() {}, close() {} };
  const hasOwnKey = provider === undefined || settings['tools.api.api_key'] !== '';
  const watch = new SelectorWatch({
    ...effects,
    probe,
    settings: {
      endpoint: provider === undefined ? 'tools.api.endpoint' : `providers.${provider}.endpoint`,
      apiKey: hasOwnKey ? 'tools.api.api_key' : `providers.${provider}.api_key`,
    },
  });
  return {
    isAsked,
    start: () => watch.start(),
    take({ searches, observation }) {
      for (const search of searches) watch.see(search);
      if (observation?.search) watch.see(observation.search);
    },
    close: () => watch.close(),
  };
}
