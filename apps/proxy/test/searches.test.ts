import { Readable } from 'node:stream';
import { createSelectorClient, SelectorHealth } from '@winnow/clients';
import { buildCatalogue, noPause, selectTools } from '@winnow/ranking';
import type { Agent } from 'undici';
import { selectorSearch } from '../src/search/create-searches.ts';
import { localSearch } from '../src/search/local.ts';
import { describeSearch } from './search-contract.ts';

describeSearch('the local search', () => {
  let pauses = 0;
  let onPause = () => {};
  const pause = async () => {
    pauses++;
    onPause();
  };
  return {
    search: localSearch({ pause }),
    asked: () => pauses,
    onWaiting: (callback) => {
      onPause = callback;
    },
  };
});

describeSearch('the search by a selector', () => {
  let requests = 0;
  let onRequest = () => {};
  /** A selector without a network: it ranks the tools that it receives. */
  const request = async ({ body, signal }: { body: string; signal: AbortSignal }) => {
    requests++;
    onRequest();
    signal.throwIfAborted();
    const { pattern, patterns = [pattern], top_k: topK, tools } = JSON.parse(body);
    const query = { pattern: patterns, topK, alwaysKeep: [], searchType: 'auto' as const };
    const { names, noMatch, byPattern } = await selectTools(buildCatalogue(tools), query, noPause);
    const response = {
      selected_names: names,
      ...(noMatch && { no_match: true }),
      by_pattern: byPattern?.map(({ names: best, certainty, unknownWords }) => ({
        selected_names: best,
        ...(certainty !== 'found' && { certainty }),
        unknown_words: unknownWords,
      })),
    };
    return { statusCode: 200, body: Readable.from([Buffer.from(JSON.stringify(response))]) };
  };
  const client = createSelectorClient(
    {
      endpoint: 'http://selector/search',
      apiKey: '',
      timeoutMs: 1,
      redact: { descriptions: [], sendDefinition: 'full' },
    },
    {
      agent: { request } as unknown as Pick<Agent, 'request'>,
      health: new SelectorHealth({ failures: 5, openMs: 1, now: () => 0 }),
      deadline: () => new AbortController().signal,
    },
  );
  return {
    search: selectorSearch(client),
    asked: () => requests,
    onWaiting: (callback) => {
      onRequest = callback;
    },
  };
});
