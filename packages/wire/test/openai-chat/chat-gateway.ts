import type {
  HiddenTurn,
  LoadMode,
  Plan,
  RequestView,
  Round,
  SearchCall,
  SearchResult,
  Turn,
} from '../../src/format/view.ts';
import { framingOf } from '../../src/framing/framings.ts';
import { readEvents } from '../../src/framing/read-events.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { ClientBody } from '../frames.ts';
import { planOf, viewOf } from '../run-exchange.ts';

/**
 * A minimal gateway for one conversation: it defers every tool except those whose names begin with `kept_`.
 */
export interface ChatGateway {
  /** The function for a client to use in place of the global `fetch`. */
  readonly fetch: typeof fetch;
  /** The hidden turns that it keeps for later requests. */
  readonly hiddenTurns: readonly HiddenTurn[];
}

/** Finds the tools with one of the query's words in their names. */
export function createChatGateway(loadMode: Exclude<LoadMode, 'bridge'> = 'swap'): ChatGateway {
  const hiddenTurns: HiddenTurn[] = [];
  const loaded = new Set<string>();
  const planFor = (defer: readonly string[], load: readonly string[] = []): Plan => ({
    ...planOf(defer, load),
    loadMode,
  });

  const handle = async (url: string, init: RequestInit): Promise<Response> => {
    const view = viewOf(openaiChat, String(init.body));
    const defer = view.tools.flatMap(({ name }) => (name && !name.startsWith('kept_') ? [name] : []));
    const joiner = openaiChat.joining.joinResponses(view, planFor(defer));
    const rounds: Round[] = [];
    const sent = new ClientBody(view.isStream);
    for (;;) {
      const body = openaiChat.editing.editRequest(view, planFor(defer, [...loaded]), { hiddenTurns, rounds });
      const response = await fetch(url, { ...init, headers: headersOf(init), body });
      if (!response.ok) return response;
      const type = response.headers.get('content-type') ?? '';
      for await (const event of readEvents(response.body!, framingOf(type))) sent.write(joiner.feed(event));
      const end = joiner.endRound();
      if (end.kind === 'failed') throw new Error(end.reason);
      rounds.push(resolve(end.turn, view));
      for (const name of foundIn(rounds)) loaded.add(name);
      if (end.kind === 'searching') continue;
      const hidden = openaiChat.remembering.hideTurn(view, rounds);
      // As a store would return it.
      if (hidden !== undefined) hiddenTurns.push(JSON.parse(JSON.stringify(hidden)) as HiddenTurn);
      sent.write(joiner.finish());
      return new Response(sent.end(), { headers: { 'content-type': type } });
    }
  };
  return { fetch: (url, init) => handle(String(url), init ?? {}), hiddenTurns };
}

function headersOf(init: RequestInit): Headers {
  const headers = new Headers(init.headers);
  headers.delete('content-length');
  return headers;
}

function resolve(turn: Turn, view: RequestView): Round {
  return { turn, results: turn.searches.map((search) => resultOf(search, view)) };
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
