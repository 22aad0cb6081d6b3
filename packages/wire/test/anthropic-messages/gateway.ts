import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { addedHeaders } from '../../src/format/load-rules.ts';
import type { RoundEnd } from '../../src/format/response-joiner.ts';
import type {
  HiddenTurn,
  LoadMode,
  Plan,
  RequestView,
  Round,
  SearchCall,
  SearchResult,
} from '../../src/format/view.ts';
import { framingOf } from '../../src/framing/framings.ts';
import { readEvents } from '../../src/framing/read-events.ts';
import { ClientBody } from '../frames.ts';
import { planOf, viewOf } from './exchange.ts';

/**
 * A minimal gateway for one conversation: it defers every tool except those whose names begin with `kept_`.
 */
export interface Gateway {
  /** The function for a client to use in place of the global `fetch`. */
  readonly fetch: typeof fetch;
  /** The hidden turns that it keeps for later requests. */
  readonly hiddenTurns: readonly HiddenTurn[];
}

/** Finds the tools with one of the query's words in their names. */
export function createGateway(loadMode: Exclude<LoadMode, 'bridge'>): Gateway {
  const hiddenTurns: HiddenTurn[] = [];
  let loaded: readonly string[] = [];

  const handle = async (url: string, init: RequestInit): Promise<Response> => {
    const view = viewOf(String(init.body), url.includes('count_tokens') ? 'count_tokens' : 'answer');
    const defer = view.tools.flatMap(({ name }) => (name && !name.startsWith('kept_') ? [name] : []));
    let plan = planOf(loadMode, defer, loaded);
    const joiner = anthropicMessages.joining.joinResponses(view, plan);
    const rounds: Round[] = [];
    const sent = new ClientBody(view.isStream);
    for (;;) {
      const body = anthropicMessages.editing.editRequest(view, plan, { hiddenTurns, rounds });
      const response = await fetch(url, { ...init, headers: headersOf(init, plan), body });
      if (!response.ok || view.purpose === 'count_tokens') return response;
      const type = response.headers.get('content-type') ?? '';
      for await (const event of readEvents(response.body!, framingOf(type))) sent.write(joiner.feed(event));
      const end = joiner.endRound();
      if (end.kind === 'failed') {
        sent.write(joiner.fail(end));
        return new Response(sent.end(), { headers: { 'content-type': type } });
      }
      rounds.push(resolve(end, view));
      loaded = [...new Set([...loaded, ...foundIn(rounds)])];
      if (loadMode === 'swap') plan = planOf(loadMode, defer, loaded);
      if (end.kind === 'searching') continue;
      const hidden = anthropicMessages.remembering.hideTurn(view, rounds);
      // As a store would return it.
      if (hidden !== undefined) hiddenTurns.push(JSON.parse(JSON.stringify(hidden)) as HiddenTurn);
      sent.write(joiner.finish());
      return new Response(sent.end(), { headers: { 'content-type': type } });
    }
  };
  return { fetch: (url, init) => handle(String(url), init ?? {}), hiddenTurns };
}

function headersOf(init: RequestInit, plan: Plan): Headers {
  const headers = new Headers(init.headers);
  headers.delete('content-length');
  for (const { name, value } of addedHeaders(anthropicMessages.loading, plan)) headers.append(name, value);
  return headers;
}

function resolve(end: Exclude<RoundEnd, { kind: 'failed' }>, view: RequestView): Round {
  return { turn: end.turn, results: end.turn.searches.map((search) => resultOf(search, view)) };
}

function resultOf({ id, queries }: SearchCall, { tools }: RequestView): SearchResult {
  const words = queries.join(' ').split(/\W+/);
  const found = tools.flatMap(({ name = '', description }) =>
    words.some((word) => name.includes(word)) ? [{ name, description }] : [],
  );
  return { callId: id, kind: found.length > 0 ? 'found' : 'no_match', tools: found };
}

function foundIn(rounds: readonly Round[]): string[] {
  return rounds.flatMap(({ results }) => results.flatMap(({ tools }) => tools.map(({ name }) => name)));
}
