import type { RegistryFollower, RegistryStatus } from '@winnow/clients';
import type { SearchResponse } from '@winnow/core';
import type { Meanings, SearchMeaning } from '@winnow/embeddings';
import {
  type Catalogue,
  explainTools,
  meaningText,
  type Pause,
  type Selection,
  selectTools,
  type ToolExplanation,
  type ToolQuery,
} from '@winnow/ranking';
import { ClientGone, type Span } from '@winnow/service';
import type { Caller } from './callers.ts';
import type { CachedCatalogue, Catalogues } from './catalogues.ts';
import { meaningByCaller } from './meaning-by-caller.ts';
import { type ParsedQuery, parseRequest } from './parse-request.ts';
import type { RegistryContent, RegistryView } from './registry-content.ts';
import {
  explainFromRegistry,
  type RegistryId,
  readRegistryId,
  selectFromRegistry,
} from './search-registry.ts';
import { SelectorError } from './selector-error.ts';
import { toResponse } from './to-response.ts';

/** Dependencies of a search. */
export interface SearchContext {
  readonly catalogues: Catalogues;
  /** Maximum number of tools in a request. */
  readonly maxTools: number;
  /** Undefined if no registry is followed. */
  readonly registry: RegistryFollower<RegistryContent> | undefined;
  /** Undefined if tools are ranked by keywords only. */
  readonly meanings: Meanings | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Yields to other requests during a long search. */
  readonly pause: Pause;
}

/** A search request. */
export interface Search {
  /** The body, as JSON. */
  readonly body: unknown;
  readonly caller: Caller;
  /** Returns the signal that aborts when the client leaves; called only for long work. */
  readonly leave: () => AbortSignal;
  /** The span of the request; its stages become children. */
  readonly span: Span;
}

/** The response, with the facts about it. Times are in milliseconds. */
export interface SearchOutcome {
  readonly response: SearchResponse;
  readonly query: ParsedQuery;
  readonly selection: Selection;
  readonly index: 'built' | 'cached';
  /** The value reported to the caller: `cached` only for a catalogue that it has sent itself. */
  readonly toldIndex: 'built' | 'cached';
  readonly tools: number;
  readonly parseMs: number;
  readonly indexMs: number;
  readonly rankMs: number;
  /** Whether all vectors were available, or only some; undefined if meaning was not requested. */
  readonly meaning: 'used' | 'degraded' | undefined;
}

/** A query with its catalogue. */
interface Prepared {
  readonly query: ParsedQuery;
  readonly source: Source;
  readonly index: 'built' | 'cached';
  readonly parseMs: number;
  readonly indexMs: number;
}

/** The source of the searched tools. */
type Source =
  | { readonly kind: 'sent'; readonly cached: CachedCatalogue }
  | { readonly kind: 'registry'; readonly view: RegistryView; readonly status: RegistryStatus };

/**
 * Runs one search: finds or builds its catalogue, ranks, and assembles the response.
 *
 * Throws `SelectorError` with `invalid_request`, `payload_too_large` (too many tools),
 * `unknown_catalog`, `forbidden` or `registry_unavailable`, and `ClientGone` if the client leaves while a long
 * search runs.
 */
export async function searchTools(search: Search, context: SearchContext): Promise<SearchOutcome> {
  const startedAt = context.now();
  const { query, source, index, parseMs, indexMs } = await prepare(search, context);
  const toldIndex = noteUse(source, search.caller) ? index : 'built';
  const rankedFrom = context.now();
  const meaning = openMeaning(source, query, context);
  const asked = { ...toSelectionQuery(query), ...(meaning && { meaning }) };
  const selection = await select(source, asked, pauseWhileWanted(search, context));
  const explained = { ...asked, pattern: query.patterns[0]! };
  const explanations = await explain(source, query.explain, explained, pauseWhileWanted(search, context));
  const endedAt = context.now();
  traceStages(search.span, { parseMs, indexMs, rankedFrom, endedAt });
  const response = toResponse(query, selection, {
    index: toldIndex,
    elapsedMs: endedAt - startedAt,
    explanations,
    degraded: meaning?.degraded,
    status: source.kind === 'registry' ? source.status : undefined,
  });
  const tools = source.kind === 'registry' ? source.view.size : source.cached.catalogue.size;
  return {
    response,
    query,
    selection,
    index,
    toldIndex,
    tools,
    parseMs,
    indexMs,
    rankMs: endedAt - rankedFrom,
    meaning: meaning?.wasAsked ? (meaning.degraded ? 'degraded' : 'used') : undefined,
  };
}

/**
 * Opens the meaning of a pattern that may be read as words: by the caller's vectors if it sent one for the
 * pattern, otherwise by the embedder if there is one. Missing vectors of tools are learnt after the search.
 */
function openMeaning(
  source: Source,
  { search_type: searchType, query_vector: queryVector }: ParsedQuery,
  { meanings, pause }: SearchContext,
): SearchMeaning | undefined {
  if (searchType === 'keyword' || searchType === 'regex') return undefined;
  if (queryVector !== undefined && source.kind === 'sent')
    return meaningByCaller(source.cached, queryVector, pause);
  if (meanings === undefined) return searchType === 'auto' ? undefined : NO_MEANING;
  const catalogue = catalogueOf(source);
  const texts = {
    count: catalogue.positions,
    table: catalogue.table,
    textOf: (position: number) =>
      catalogue.absent?.[position] === 1 ? undefined : meaningText(catalogue.table.essence(position)),
  };
  meanings.learn(catalogue, texts);
  return meanings.search(texts);
}

/** Stands in for meaning that was requested but is unavailable. */
const NO_MEANING: SearchMeaning = {
  wasAsked: true,
  degraded: 'no_embedder',
  vectorsOf: async () => undefined,
};

function catalogueOf(source: Source): Catalogue {
  return source.kind === 'registry' ? source.view.snapshot.catalogue : source.cached.catalogue;
}

/** Records the sender of a catalogue; returns whether it may learn that the catalogue was known. */
function noteUse(source: Source, { scope }: Caller): boolean {
  if (source.kind === 'registry') return true;
  const { senders } = source.cached;
  const hasSent = senders.get(scope) === true;
  senders.set(scope, true);
  return hasSent;
}

function select(source: Source, query: ToolQuery, pause: Pause): Promise<Selection> {
  if (source.kind === 'registry') return selectFromRegistry(source.view, query, pause);
  return selectTools(source.cached.catalogue, query, pause);
}

function explain(
  source: Source,
  names: readonly string[],
  query: ToolQuery & { readonly pattern: string },
  pause: Pause,
): Promise<readonly ToolExplanation[]> {
  if (names.length === 0) return NOTHING_EXPLAINED;
  if (source.kind === 'registry') return explainFromRegistry(source.view, names, query, pause);
  return explainTools(source.cached.catalogue, names, query, pause);
}

const NOTHING_EXPLAINED = Promise.resolve([]);

/** Reports the stages to the trace. */
function traceStages(
  span: Span,
  { parseMs, indexMs, rankedFrom, endedAt }: Record<'parseMs' | 'indexMs' | 'rankedFrom' | 'endedAt', number>,
): void {
  const indexedFrom = rankedFrom - indexMs;
  span.addChild('parse', { startMs: indexedFrom - parseMs, endMs: indexedFrom });
  if (indexMs > 0) span.addChild('index', { startMs: indexedFrom, endMs: rankedFrom });
  span.addChild('rank', { startMs: rankedFrom, endMs: endedAt });
}

/**
 * Finds or builds the catalogue. Tools in a request take precedence over those of its `catalog_id`, which
 * then refers to the new tools.
 */
async function prepare({ body, caller }: Search, context: SearchContext): Promise<Prepared> {
  const { catalogues, maxTools, now } = context;
  const startedAt = now();
  const { tools, ...query } = parseRequest(body, maxTools);
  const parsedAt = now();
  const parseMs = parsedAt - startedAt;
  if (tools === undefined) return prepareById(query, parseMs, caller, context);
  refuseReserved(query, context);
  const { hash, cached, index } = await catalogues.find(tools, (body as { tools: unknown }).tools);
  const { scope } = caller;
  if (query.catalog_id !== undefined) catalogues.bind({ scope, id: query.catalog_id }, hash);
  return { query, source: { kind: 'sent', cached }, index, parseMs, indexMs: now() - parsedAt };
}

function prepareById(
  query: ParsedQuery,
  parseMs: number,
  caller: Caller,
  { catalogues, registry }: SearchContext,
): Prepared {
  if (query.catalog_id === undefined) throw missingTools();
  const registryId = registry && readRegistryId(query.catalog_id);
  if (registryId) {
    return {
      query,
      source: openRegistry(registryId, caller, registry),
      index: 'cached',
      parseMs,
      indexMs: 0,
    };
  }
  const cached = catalogues.findById({ scope: caller.scope, id: query.catalog_id });
  if (!cached) throw unknownCatalog();
  return { query, source: { kind: 'sent', cached }, index: 'cached', parseMs, indexMs: 0 };
}

function openRegistry(
  { namespace }: RegistryId,
  { maySearchRegistry }: Caller,
  registry: RegistryFollower<RegistryContent>,
): Source {
  if (!maySearchRegistry) throw new SelectorError('forbidden', 'This token may not search the registry.');
  if (!registry.isComplete) throw registryUnavailable();
  const view = registry.tools.view(namespace);
  if (view === undefined) {
    throw new SelectorError('unknown_catalog', 'The registry has no tools in this namespace.');
  }
  return { kind: 'registry', view, status: registry.status };
}

/**
 * Rejects tools sent under an id of the registry: their sender would search other tools than everyone else
 * under it.
 */
function refuseReserved({ catalog_id: id }: ParsedQuery, { registry }: SearchContext): void {
  if (registry === undefined || readRegistryId(id) === undefined) return;
  throw new SelectorError('invalid_request', 'The request does not have the right form; see details.', {
    details: [
      {
        path: 'catalog_id',
        message: 'This id names tools of the registry: leave out tools, or use another id',
      },
    ],
  });
}

/** Returns a pause that throws once the client has left: an expensive expression may run for seconds. */
function pauseWhileWanted({ leave }: Search, { pause }: SearchContext): Pause {
  let left: AbortSignal | undefined;
  return async () => {
    left ??= leave();
    await pause();
    if (left.aborted) throw new ClientGone();
  };
}

function toSelectionQuery(query: ParsedQuery): ToolQuery {
  return {
    pattern: query.patterns,
    topK: query.top_k,
    alwaysKeep: query.always_keep,
    searchType: query.search_type,
    needsCertaintyOnly: !query.include.includes('scores'),
  };
}

function registryUnavailable(): SelectorError {
  return new SelectorError('registry_unavailable', 'The tools of the registry have not been read yet.', {
    headers: { 'retry-after': '1' },
  });
}

function missingTools(): SelectorError {
  return new SelectorError('invalid_request', 'The request does not have the right form; see details.', {
    details: [{ path: 'tools', message: 'Required unless catalog_id names tools that were sent earlier' }],
  });
}

function unknownCatalog(): SelectorError {
  return new SelectorError('unknown_catalog', 'This catalog_id is not known here; send the tools again.');
}
