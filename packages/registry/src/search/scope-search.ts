import { hash } from 'node:crypto';
import { tokenizeTelling } from '@winnow/ranking';
import type { Sight } from '../content/tool-filter.ts';
import { canonicalFilter, compileFilter, filterKey, type ToolFilter } from '../content/tool-filter.ts';
import { REGISTRY_LIMITS } from '../limits.ts';
import { canonicalJson } from '../model/json.ts';
import type { CursorBinding, Cursors } from '../pages.ts';
import { type Outcome, refuse } from '../problem.ts';
import type { Scope } from '../scope.ts';
import { KeptLists, type ResultList } from './kept-lists.ts';
import type { QueryType, SearchOptions } from './search-options.ts';
import type { Degradation, GuardedSearch, SearcherHit, SearcherQuery, SearcherResult } from './searcher.ts';

/** One page of a search, before its tools are described. */
interface HitPage extends Omit<ResultList, 'hits' | 'later'> {
  readonly hits: readonly SearcherHit[];
  readonly nextCursor?: string;
  readonly requestedSearchType: QueryType;
  readonly version: number;
  readonly cache: 'hit' | 'miss';
  readonly degraded?: Degradation;
}

/** Parts of a {@link ScopeSearch}. */
interface ScopeSearchParts {
  readonly scope: Scope;
  readonly cursors: Cursors;
  readonly guarded: GuardedSearch;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** A normalized search. */
interface Query {
  /** Not blank; none to list all tools. */
  readonly texts: readonly string[];
  readonly requested: QueryType;
  readonly filter: ToolFilter;
  readonly sight: Sight;
  readonly limit: number;
  /** Ids of tools that are always found. */
  readonly keep: readonly string[];
  readonly key: string;
}

/** Searches one scope: reads pages from kept results, or runs the search. */
export class ScopeSearch {
  readonly #parts: ScopeSearchParts;
  readonly #lists: KeptLists;
  #hits = 0;
  #misses = 0;

  constructor(parts: ScopeSearchParts) {
    this.#parts = parts;
    this.#lists = new KeptLists(parts.now);
  }

  get cacheState(): { readonly hits: number; readonly misses: number; readonly lists: number } {
    return { hits: this.#hits, misses: this.#misses, lists: this.#lists.size };
  }

  async search(
    text: string | readonly string[],
    options: SearchOptions,
    sight: Sight,
    signal: AbortSignal,
  ): Promise<Outcome<HitPage>> {
    const { pageSize = REGISTRY_LIMITS.defaultPageSize, limit = REGISTRY_LIMITS.searchResults } = options;
    const range = findRangeProblem(pageSize, limit);
    if (range !== undefined) return refuse('invalid_request', range.message, range.path);
    // Before the version is read: changes that arrive meanwhile belong to this search.
    await this.#parts.guarded.prepare();
    const query = this.#toQuery(text, options, sight);
    const binding: CursorBinding = { kind: 'search', key: query.key };
    const start = this.#readStart(options.cursor, binding);
    if (!start.ok) return start;
    const { version, offset } = start;

    const kept = this.#lists.get(version, query.key);
    if (kept === undefined && version !== this.#parts.scope.version) return staleCursor();
    const made =
      kept === undefined
        ? await this.#make(query, version, pageSize, signal)
        : { ok: true as const, list: kept };
    if (!made.ok) return made;
    const { degraded } = made;
    if (kept === undefined) this.#misses++;
    else this.#hits++;

    const end = offset + pageSize;
    const { hits, later, ...rest } = this.#reaching(end, made.list, version, query.key);
    const hasMore = end < hits.length + (later?.count ?? 0) && pageSize > 0 && degraded === undefined;
    return {
      ok: true,
      ...rest,
      hits: hits.slice(offset, end),
      ...(hasMore && { nextCursor: this.#parts.cursors.write({ version, offset: end }, binding) }),
      requestedSearchType: query.requested,
      version,
      cache: kept === undefined ? 'miss' : 'hit',
      ...(degraded && { degraded }),
    };
  }

  #toQuery(
    text: string | readonly string[],
    { searchType = 'auto', filter = {}, alwaysKeep = [], limit }: SearchOptions,
    sight: Sight,
  ): Query {
    const kept = alwaysKeep
      .map((name) => this.#parts.scope.tools.find(name))
      .filter((tool) => tool !== undefined && sight.sees(tool.namespace))
      .map((tool) => tool!.id);
    const query = {
      texts: (typeof text === 'string' ? [text] : text).map((one) => one.trim()).filter((one) => one !== ''),
      requested: searchType,
      filter: canonicalFilter(filter),
      limit: limit ?? REGISTRY_LIMITS.searchResults,
      // Unknown names do not change the result, but a cursor must not fit another request.
      keep: [...new Set(kept)].sort(),
    };
    const asked = [query, [...new Set(alwaysKeep)].sort(), sight.key];
    return { ...query, sight, key: hash('sha256', canonicalJson(asked)).slice(0, 32) };
  }

  #readStart(
    cursor: string | undefined,
    binding: CursorBinding,
  ): Outcome<{ version: number; offset: number }> {
    if (cursor === undefined) return { ok: true, version: this.#parts.scope.version, offset: 0 };
    const read = this.#parts.cursors.read(cursor, binding);
    if (!read.ok) {
      return read.code === 'stale_cursor'
        ? staleCursor()
        : refuse('invalid_cursor', INVALID_CURSOR, 'cursor');
    }
    // Cursors of searches have no other form.
    if (!('version' in read.position)) return refuse('invalid_cursor', INVALID_CURSOR, 'cursor');
    return { ok: true, ...read.position };
  }

  /** Returns the list, with all hits when the first ones do not reach `end`. */
  #reaching(end: number, list: ResultList, version: number, key: string): ResultList {
    const { later, ...rest } = list;
    if (later === undefined || end <= list.hits.length) return list;
    const whole = { ...rest, hits: [...list.hits, ...later.make()] };
    this.#lists.put(version, key, whole);
    return whole;
  }

  async #make(
    query: Query,
    version: number,
    pageSize: number,
    signal: AbortSignal,
  ): Promise<Outcome<{ list: ResultList; degraded?: Degradation | undefined }>> {
    const { scope } = this.#parts;
    if (query.texts.length === 0 || query.limit === 0) {
      const list = listAll(query, scope);
      this.#lists.put(version, query.key, list);
      return { ok: true, list };
    }
    const answer = await this.#parts.guarded.search(toSearcherQuery(query, pageSize, scope), signal);
    const { lacksMeaning, byText, ...result } = answer.result;
    const degraded = answer.degraded ?? (lacksMeaning && { searcher: 'meaning', reason: lacksMeaning });
    const isFound = result.certainty === 'found';
    const list: ResultList = {
      ...result,
      unknownWords:
        isFound || query.sight.key === '' ? result.unknownWords : await this.#unknownInSight(query, signal),
      ...toRelevance({ ...result, hits: withKept(result.hits, query) }),
      nearestNamespaces: isFound
        ? []
        : nearestNamespaces(query.texts.join(' '), visibleNamespaces(scope, query.sight)),
      // The searcher's own unknown words would reveal which words other tools contain.
      ...(byText && {
        byText: query.sight.key === '' ? byText : byText.map((one) => ({ ...one, unknownWords: [] })),
      }),
    };
    if (degraded === undefined) this.#lists.put(version, query.key, list);
    return { ok: true, list, degraded };
  }

  /**
   * Returns the words that no tool in sight matches. The searchers' own lists would reveal which words other
   * tools contain.
   */
  async #unknownInSight(query: Query, signal: AbortSignal): Promise<readonly string[]> {
    const words = new Set(
      query.texts
        .join(' ')
        .slice(0, COMPARED_CHARS)
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    );
    const unknown: string[] = [];
    for (const word of [...words].filter(isTelling).slice(0, MOST_COMPARED)) {
      const asked = { ...query, texts: [word], requested: 'keyword', limit: 1, keep: [] } as const;
      const { scope, guarded } = this.#parts;
      const { result } = await guarded.search(toSearcherQuery(asked, 1, scope), signal);
      if (result.totalMatches === 0) unknown.push(word);
    }
    return unknown.slice(0, MOST_UNKNOWN);
  }
}

/** Limits: the part of a query in which words are looked up, their number, and the number that is reported. */
const COMPARED_CHARS = 1_024;
const MOST_COMPARED = 12;
const MOST_UNKNOWN = 8;
const MOST_WORD_CHARS = 40;

function isTelling(word: string): boolean {
  return word.length <= MOST_WORD_CHARS && tokenizeTelling(word).length > 0;
}

const INVALID_CURSOR = 'The cursor does not belong to this query.';

function staleCursor() {
  return refuse('stale_cursor', 'The results that the cursor continues are no longer kept.', 'cursor');
}

function findRangeProblem(pageSize: number, limit: number): { path: string; message: string } | undefined {
  const isIn = (value: number, most: number) => Number.isInteger(value) && value >= 0 && value <= most;
  const { pageSize: mostRows, searchResults } = REGISTRY_LIMITS;
  if (!isIn(pageSize, mostRows))
    return { path: 'page_size', message: `page_size must be a whole number up to ${mostRows}.` };
  if (!isIn(limit, searchResults))
    return { path: 'limit', message: `limit must be a whole number up to ${searchResults}.` };
  return undefined;
}

function toSearcherQuery(
  { texts, requested, filter, sight, limit, keep }: Query,
  pageSize: number,
  scope: Scope,
): SearcherQuery {
  const allows = compileFilter(filter, sight);
  return {
    text: texts.length === 1 ? texts[0]! : texts,
    searchType: requested,
    filter,
    ...(sight.key !== '' && { namespaces: [...visibleNamespaces(scope, sight)].sort() }),
    filterKey: allows === undefined ? '' : filterKey(filter, sight),
    limit,
    alsoIds: keep,
    // With tools to keep, all hits are needed to decide which others have a place.
    ...(keep.length === 0 && { atOnce: Math.max(pageSize, 1) }),
    ...(allows && { allows }),
  };
}

/** Lists all tools by id, for an empty query. */
function listAll({ filter, sight, limit }: Query, scope: Scope): ResultList {
  const allows = compileFilter(filter, sight);
  const hits: SearcherHit[] = [];
  let totalMatches = 0;
  for (const tool of scope.tools.inOrder()) {
    if (allows !== undefined && !allows(tool)) continue;
    totalMatches++;
    if (hits.length < limit) hits.push({ id: tool.id, score: 0, matchedOn: [] });
  }
  const certainty = totalMatches === 0 ? 'none' : 'found';
  return { hits, totalMatches, searchType: 'keyword', certainty, unknownWords: [], nearestNamespaces: [] };
}

/**
 * Returns at most `limit` hits that include the tools to keep: these count towards the limit but never come
 * first, and those without a match come last.
 */
function withKept(hits: readonly SearcherHit[], { keep, limit }: Query): readonly SearcherHit[] {
  if (keep.length === 0) return hits.slice(0, limit);
  const wanted = new Set(keep);
  const matched = new Set(hits.map((hit) => hit.id));
  const [best, ...rest] = hits;
  const first = best === undefined ? [] : [best];
  const keptMatches = rest.filter((hit) => wanted.has(hit.id)).slice(0, limit - first.length);
  const room = limit - first.length - keptMatches.length;
  const keptUnmatched = keep.filter((id) => !matched.has(id)).slice(0, room);
  const others = rest.filter((hit) => !wanted.has(hit.id)).slice(0, room - keptUnmatched.length);
  const chosen = new Set([...first, ...keptMatches, ...others]);
  return [
    ...hits.filter((hit) => chosen.has(hit)),
    ...keptUnmatched.map((id) => ({ id, score: 0, matchedOn: [] })),
  ];
}

/** Scales scores to shares of the first one, with three decimals. Never rising, though a named tool may score less than the next. */
function toRelevance({
  hits,
  later,
}: Pick<SearcherResult, 'hits' | 'later'>): Pick<ResultList, 'hits' | 'later'> {
  const top = hits[0]?.score || 1;
  const shares = toShares(hits, top, 1);
  if (later === undefined) return { hits: shares };
  const ceiling = shares.at(-1)?.score ?? 1;
  const { count } = later;
  return { hits: shares, later: { count, make: () => toShares(later.make(), top, ceiling) } };
}

function toShares(hits: readonly SearcherHit[], top: number, most: number): readonly SearcherHit[] {
  let ceiling = most;
  return hits.map((hit) => {
    ceiling = Math.min(ceiling, Math.round((hit.score / top) * 1_000) / 1_000);
    return { ...hit, score: ceiling };
  });
}

function* visibleNamespaces({ tools }: Scope, sight: Sight): Generator<string> {
  for (const namespace of tools.namespaces.keys()) if (sight.sees(namespace)) yield namespace;
}

/** Most suggested namespaces. */
const MOST = 5;

/** Only the beginning of a long query is compared. */
const READ_CHARS = 1_024;

/**
 * Returns at most 5 namespaces whose names resemble words of a query, the nearest first, by Dice's coefficient over
 * letter triples.
 */
export function nearestNamespaces(query: string, namespaces: Iterable<string>): readonly string[] {
  const words = new Set(
    query
      .slice(0, READ_CHARS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
  const wanted = [...words].map(triplesOf);
  const near: { name: string; share: number }[] = [];
  for (const name of namespaces) {
    if (name === '') continue;
    // The name as a whole, and each of its words.
    const parts = [name, ...name.split(/[._-]+/)].map(triplesOf);
    const share = Math.max(0, ...wanted.flatMap((word) => parts.map((part) => dice(word, part))));
    if (share > 0) near.push({ name, share });
  }
  near.sort((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1));
  return near.slice(0, MOST).map(({ name }) => name);
}

function triplesOf(text: string): ReadonlySet<string> {
  const padded = `^${text}$`;
  const triples = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) triples.add(padded.slice(at, at + 3));
  return triples;
}

function dice(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const triple of left) if (right.has(triple)) shared++;
  return (2 * shared) / (left.size + right.size || 1);
}
