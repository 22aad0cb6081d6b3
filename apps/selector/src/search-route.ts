import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Certainty } from '@winnow/ranking';
import {
  type Admission,
  type BodyHold,
  type BodyLimits,
  type BodyMemory,
  type Exchange,
  jsonResponse,
  type Log,
  overloaded,
  type Route,
  type RouteResponse,
  readAway,
  receiveJson,
  requireJson,
} from '@winnow/service';
import type { Callers } from './callers.ts';
import type { Metrics } from './metrics.ts';
import { type SearchContext, type SearchOutcome, searchTools } from './search-tools.ts';

/** Path of the search route. */
export const SEARCH_PATH = '/v1/tool-discovery/search';

/** Dependencies of the search route. */
export interface SearchRouteContext extends SearchContext {
  readonly callers: Callers;
  readonly admission: Admission;
  readonly bodyMemory: BodyMemory;
  readonly bodyLimits: BodyLimits;
  readonly isRefusing: () => boolean;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Additional fields in the log line of a search: never content, only lengths and hashes. */
type SearchFacts = {
  /** Number of tools in the catalogue. */
  readonly tools: number;
  /** Length of the patterns together, in UTF-16 code units. */
  readonly patternChars: number;
  /** Start of the SHA-256 of the patterns, one on each line, in hexadecimal. */
  readonly patternHash: string;
  /** The actual reading of the pattern. */
  readonly searchType: string;
  /** Whether the catalogue was cached. */
  readonly index: 'built' | 'cached';
  /** Number of names in the response. */
  readonly selected: number;
  readonly noMatch: boolean;
  readonly certainty: Certainty;
  /** The names themselves, at level `debug` only. */
  readonly names?: readonly string[];
};

/** Number of hash characters in a log line: enough to recognise equal patterns. */
const HASH_CHARS = 12;

/**
 * `POST /v1/tool-discovery/search`. Unauthorized and malformed requests are rejected before the body is read.
 */
export function searchRoute(context: SearchRouteContext): Route {
  return {
    name: 'search',
    tracedPath: SEARCH_PATH,
    async handle(exchange) {
      const caller = context.callers.identify(exchange.incoming);
      requireJson(exchange.incoming.headers['content-type']);
      if (context.isRefusing()) {
        await readAway(exchange.incoming);
        throw overloaded('The service is shutting down.');
      }
      const leave = context.admission.enter(caller.party);
      const hold = context.bodyMemory.open(caller.party);
      try {
        const body = await receive(exchange, hold, context);
        const leaving = () => leaveSignal(exchange.outgoing);
        return conclude(
          exchange,
          await searchTools({ body, caller, leave: leaving, span: exchange.span }, context),
          context,
        );
      } finally {
        hold.release();
        leave();
      }
    },
  };
}

async function receive(
  exchange: Exchange,
  hold: BodyHold,
  { bodyLimits }: SearchRouteContext,
): Promise<unknown> {
  const receiving = exchange.span.startChild('receive', 'internal');
  try {
    const { value } = await receiveJson(exchange, bodyLimits, hold.resize, MAX_VALUES);
    return value;
  } finally {
    receiving.end();
  }
}

/** Maximum number of JSON values of a body: 20,000 tools with large schemas. */
const MAX_VALUES = 1_000_000;

function conclude(
  exchange: Exchange,
  outcome: SearchOutcome,
  { metrics }: SearchRouteContext,
): RouteResponse {
  metrics.countSearch(outcome);
  exchange.facts = toFacts(outcome);
  exchange.span.set({
    'winnow.search.tools': outcome.tools,
    'winnow.search.found': outcome.selection.names.length,
    'winnow.search.query_chars': outcome.query.patterns.join('').length,
    'winnow.search.type': outcome.selection.searchType,
    'winnow.search.index': outcome.index,
    'winnow.search.outcome': outcome.selection.noMatch ? 'no_match' : outcome.selection.certainty,
  });
  return jsonResponse(outcome.response, { 'server-timing': serverTiming(outcome) });
}

/** https://www.w3.org/TR/server-timing/#the-server-timing-header-field */
function serverTiming({ parseMs, indexMs, rankMs, toldIndex }: SearchOutcome): string {
  return `parse;dur=${parseMs.toFixed(3)}, index;desc=${toldIndex};dur=${indexMs.toFixed(3)}, rank;dur=${rankMs.toFixed(3)}`;
}

function toFacts({ query, selection, index, tools }: SearchOutcome): SearchFacts {
  return {
    tools,
    patternChars: query.patterns.join('').length,
    patternHash: hash('sha256', query.patterns.join('\n')).slice(0, HASH_CHARS),
    searchType: selection.searchType,
    index,
    selected: selection.names.length,
    noMatch: selection.noMatch,
    certainty: selection.certainty,
  };
}

function leaveSignal(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (outgoing.destroyed) controller.abort();
  else outgoing.once('close', () => controller.abort());
  return controller.signal;
}
