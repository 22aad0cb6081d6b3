import type { Pause } from '@winnow/ranking';
import { CircuitBreaker } from '../circuit-breaker.ts';
import type { Config } from '../config.ts';
import { createSelectorAgent } from './create-selector-agent.ts';
import { localSearch } from './local.ts';
import type { Search } from './search.ts';
import { selectorSearch } from './selector.ts';
import { selectorOptions } from './selector-options.ts';
import { tracedSearch } from './traced-search.ts';

/** What searching takes from the world around it. */
export interface SearchEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Lets other work go between two slices of a long search. */
  readonly pause: Pause;
}

/** Everything by which one thread searches. */
export interface OpenSearches {
  readonly searches: Readonly<Record<'local' | 'selector', Search>>;
  /** Of the selector. */
  readonly breaker: CircuitBreaker;
  /** Closes the connections to the selector. */
  close(): Promise<void>;
}

/** Selector failures in a row that open the breaker, and how long it stays open. */
const BREAKER = { failures: 5, openMs: 5_000 } as const;

/**
 * The searches that the configuration stands for.
 *
 * @throws an error that names the setting, when a certificate file is no good.
 */
export function createSearches(config: Config, { now, deadline, pause }: SearchEffects): OpenSearches {
  const agent = createSelectorAgent(config);
  const breaker = new CircuitBreaker({ ...BREAKER, now });
  const options = selectorOptions(config);
  return {
    searches: {
      local: tracedSearch(localSearch({ ...options, pause }), 'internal'),
      selector: tracedSearch(selectorSearch(options, { agent, breaker, deadline }), 'client'),
    },
    breaker,
    close: () => agent.destroy(),
  };
}
