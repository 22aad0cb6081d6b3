import {
  createSelectorClient,
  openSelectorAgent,
  type SelectorClient,
  SelectorHealth,
} from '@winnow/clients';
import type { Pause } from '@winnow/ranking';
import { readClientTls } from '@winnow/service';
import type { Config } from '../config/config.ts';
import { localSearch } from './local.ts';
import { type LocalMeaningEffects, type OpenLocalMeaning, openLocalMeaning } from './open-local-meaning.ts';
import { leanSearch, type Search, type Searches, type SearchOutcome, tracedSearch } from './search.ts';

/** Effects that searches need. */
interface SearchEffects extends LocalMeaningEffects {
  /** Yields to other work between two slices of a long search. */
  readonly pause: Pause;
}

/** The searches, and their resources. */
interface OpenSearches {
  readonly searches: Searches;
  readonly selectorHealth: SelectorHealth;
  /** Undefined if searches rank only by words or use a selector. */
  readonly meaning: OpenLocalMeaning['state'] | undefined;
  /** Sends the selector a search over the proxy's own tool, whatever its known health. Never rejects. */
  readonly probeSelector: () => Promise<SearchOutcome>;
  /** Closes the connections to the selector, and the embedder. */
  close(): Promise<void>;
}

/** Consecutive selector failures that open the breaker, and how long it stays open. */
const BREAKER = { failures: 5, openMs: 5_000 } as const;

/** The search of a probe. */
const PROBE = {
  queries: ['winnow probe'],
  searchable: {
    id: 'winnow-probe',
    tools: [{ name: 'winnow_probe', description: 'Checks that the selector works.', definition: {} }],
  },
  limit: 1,
  alwaysKeep: [],
  headers: {
    'x-request-id': 'winnow-probe',
    // The trace context of an unsampled trace: a probe belongs to no request.
    traceparent: `00-${'0'.repeat(31)}1-${'0'.repeat(15)}1-00`,
  },
};

/**
 * Creates the configured searches.
 *
 * @throws an error that names the setting if a certificate file is invalid or the embedder cannot be used.
 */
export function createSearches(config: Config, effects: SearchEffects): OpenSearches {
  const { settings } = config;
  const { now, deadline, pause } = effects;
  const meaning = openLocalMeaning(config, effects);
  const agent = openSelectorAgent(readClientTls(settings['client.tls_folder']));
  const health = new SelectorHealth({ ...BREAKER, now });
  const clientOptions = {
    endpoint: settings['tools.api.endpoint'],
    apiKey: settings['tools.api.api_key'],
    timeoutMs: settings['tools.api.timeout'],
    redact: {
      descriptions: settings['tools.redact.descriptions'],
      sendDefinition: settings['tools.redact.send_definition'],
    },
  };
  const client = createSelectorClient(clientOptions, { agent, health, deadline });
  // Probes say nothing about searches of exchanges, and vice versa.
  const probeHealth = new SelectorHealth({ ...BREAKER, now });
  const probe = createSelectorClient(clientOptions, { agent, health: probeHealth, deadline });
  return {
    searches: {
      local: tracedSearch(leanSearch(localSearch({ pause, meaning })), 'internal'),
      selector: tracedSearch(leanSearch(selectorSearch(client)), 'client'),
    },
    selectorHealth: health,
    meaning: meaning?.state,
    probeSelector: () => probe({ ...PROBE, signal: new AbortController().signal }),
    close: async () => {
      await Promise.all([agent.destroy(), meaning?.state.close()]);
    },
  };
}

/** Creates a search by a selector, whose log and spans carry the exchange's id. */
export function selectorSearch(client: SelectorClient): Search {
  return async (request) => {
    const { queries, searchable, requestId, span, signal, searchType, limit } = request;
    const headers = { 'x-request-id': requestId, ...span.headers };
    const outcome = await client({
      queries,
      searchable,
      headers,
      signal,
      limit,
      alwaysKeep: [],
      searchType,
    });
    span.set({ 'http.response.status_code': outcome.status });
    return outcome;
  };
}
