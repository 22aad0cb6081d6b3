import type { MatchedField } from '@winnow/core';
import {
  Collection,
  type CollectionView,
  type CountedDocument,
  findTools,
  type LaterHits,
  type Pause,
  type Reading,
  readPattern,
  type TermPlace,
  termsOf,
} from '@winnow/ranking';
import type { StoredTool } from '../model/tool.ts';
import { namesInQuery } from './names-in-query.ts';
import { scanTools } from './scan-tools.ts';
import type { EngineHit, EngineResult, SearchEngine } from './search-engine.ts';
import { SearchUnavailableError } from './search-unavailable.ts';
import type { Searcher, SearcherChange, SearcherHit, SearcherQuery, SearcherResult } from './searcher.ts';
import { namesOf, toolDocument } from './tool-document.ts';

/** Number of the engine's hits that are ranked here. */
const RANKED = 200;

/** Tools that a search counts before it begins: a batch of changes. More are counted in slices of some milliseconds. */
const COUNTED_AT_ONCE = 1_000;
const SLICE = 100;

/** Looks up a tool as of the start of a search. */
type ToolsThen = (id: string) => StoredTool | undefined;

/**
 * Searches tools in an engine: the engine finds candidates among all tools, and the selector's ranker orders them by
 * their scores within the whole collection. The statistics for that (number of tools, lengths, and tools with each word)
 * are counted here.
 *
 * Regular expressions and globs match names, titles, tags and descriptions, not parameters.
 */
export class EngineSearcher implements Searcher {
  readonly name: string;
  readonly deterministic = true;
  readonly #engine: SearchEngine;
  readonly #pause: Pause;
  readonly #tools = new Map<string, StoredTool>();
  readonly #collection = new Collection();
  /** Counted tools, with a digest of the counted content. */
  readonly #counted = new Map<string, { document: CountedDocument; searchHash: string }>();
  /** Ids of tools that may have changed since they were counted. */
  readonly #uncounted = new Set<string>();
  /** For each running search: the earlier state of tools that changed since it began. */
  readonly #changedSince = new Set<Map<string, StoredTool | undefined>>();
  #counting: Promise<void> | undefined;

  constructor(engine: SearchEngine, pause: Pause) {
    this.name = engine.name;
    this.#engine = engine;
    this.#pause = pause;
  }

  get bytes(): number {
    return this.#collection.bytes;
  }

  get tools(): ReadonlyMap<string, StoredTool> {
    return this.#tools;
  }

  /** Counts tools that cannot be found yet. */
  readAhead(tools: readonly StoredTool[]): void {
    this.#countIn(tools);
    // Tools that are never applied are removed from the counts again.
    for (const { id } of tools) this.#uncounted.add(id);
  }

  apply({ upserts, removals }: SearcherChange): void {
    for (const tool of upserts) this.#set(tool.id, tool);
    for (const id of removals) this.#set(id, undefined);
  }

  /** Counts all applied changes ahead of the next search. */
  async prepare(): Promise<void> {
    this.#counting ??= this.#countInSlices().finally(() => {
      this.#counting = undefined;
    });
    await this.#counting;
  }

  async search(query: SearcherQuery): Promise<SearcherResult> {
    while (this.#uncounted.size > COUNTED_AT_ONCE) await this.prepare();
    this.#countSome(COUNTED_AT_ONCE);
    const changed = new Map<string, StoredTool | undefined>();
    this.#changedSince.add(changed);
    const toolsThen: ToolsThen = (id) => (changed.has(id) ? changed.get(id) : this.#tools.get(id));
    const search = new EngineSearch(query, {
      view: this.#collection.view(),
      toolsThen,
      countedOf: ({ id, searchHash }) => {
        const counted = this.#counted.get(id);
        return counted?.searchHash === searchHash ? counted.document : undefined;
      },
      engine: this.#engine,
      pause: this.#pause,
    });
    try {
      return await search.run(search.isPattern ? [...this.#tools.keys()] : []);
    } finally {
      this.#changedSince.delete(changed);
    }
  }

  #set(id: string, tool: StoredTool | undefined): void {
    const before = this.#tools.get(id);
    for (const changed of this.#changedSince) if (!changed.has(id)) changed.set(id, before);
    this.#uncounted.add(id);
    if (tool === undefined) this.#tools.delete(id);
    else this.#tools.set(id, tool);
  }

  async #countInSlices(): Promise<void> {
    while (this.#uncounted.size > 0) {
      this.#countSome(SLICE);
      await this.#pause();
    }
  }

  #countSome(most: number): void {
    const [gone, come]: [string[], StoredTool[]] = [[], []];
    let left = most;
    for (const id of this.#uncounted) {
      if (left-- === 0) break;
      this.#uncounted.delete(id);
      const [counted, now] = [this.#counted.get(id), this.#tools.get(id)];
      if (counted?.searchHash === now?.searchHash) continue;
      if (counted !== undefined) gone.push(id);
      if (now !== undefined) come.push(now);
    }
    this.#collection.remove(gone.map((id) => this.#counted.get(id)!.document));
    for (const id of gone) this.#counted.delete(id);
    this.#countIn(come);
  }

  #countIn(tools: readonly StoredTool[]): void {
    for (const [at, document] of this.#collection.add(tools.map(toolDocument)).entries()) {
      const { id, searchHash } = tools[at]!;
      this.#counted.set(id, { document, searchHash });
    }
  }
}

/** The engine's hits, with the requested terms. */
interface FoundByTerms extends EngineResult {
  readonly terms: ReadonlySet<string>;
}

/** Context of a search. */
interface SearchParts {
  readonly view: CollectionView;
  readonly toolsThen: ToolsThen;
  /** Returns the counted document of a tool if its current content is counted. */
  readonly countedOf: (tool: StoredTool) => CountedDocument | undefined;
  readonly engine: SearchEngine;
  readonly pause: Pause;
}

class EngineSearch {
  readonly #query: SearcherQuery;
  readonly #parts: SearchParts;
  readonly #names: readonly string[];
  readonly #readings: readonly Reading[];

  constructor(query: SearcherQuery, parts: SearchParts) {
    this.#query = query;
    this.#parts = parts;
    this.#names = namesInQuery(query.text);
    this.#readings = readPattern(query.text, query.searchType);
  }

  /** Whether the search examines tools one by one. */
  get isPattern(): boolean {
    return this.#readings.some(({ kind }) => kind !== 'keyword');
  }

  /** @param ids The ids of all tools at the start of the search, in any order; unused without a pattern. */
  async run(ids: readonly string[]): Promise<SearcherResult> {
    const { text, searchType } = this.#query;
    if (/^\s*select:/i.test(text)) {
      const named = await this.#find([]);
      if (named.totalMatches > 0) return this.#rank(named, searchType);
    }
    for (const reading of this.#readings) {
      if (reading.kind === 'keyword') break;
      const scanned = await this.#scan(reading, ids);
      if (scanned.totalMatches > 0) return this.#rank(scanned, searchType);
    }
    const found = await this.#find(this.#parts.view.read(text));
    const isNothing = found.totalMatches === 0;
    return this.#rank(isNothing ? await this.#find(this.#parts.view.readLoosely(text)) : found, 'keyword');
  }

  async #find(concepts: ReturnType<CollectionView['read']>): Promise<FoundByTerms> {
    const { filter, namespaces, limit, alsoIds } = this.#query;
    const terms = new Set(concepts.flatMap((concept) => concept.terms.map(({ term }) => term)));
    if (concepts.length === 0 && this.#names.length === 0) return { hits: [], totalMatches: 0, terms };
    try {
      const found = await this.#parts.engine.find({
        concepts,
        names: this.#names,
        filter,
        ...(namespaces && { namespaces }),
        limit: Math.max(limit, RANKED) + alsoIds.length,
        ranked: RANKED + alsoIds.length,
        alsoIds,
      });
      return { ...found, terms };
    } catch (error) {
      throw new SearchUnavailableError(this.#parts.engine.name, error);
    }
  }

  /** Finds the matches of a pattern, and the tools that the query names. */
  async #scan(reading: Exclude<Reading, { kind: 'keyword' }>, ids: readonly string[]): Promise<FoundByTerms> {
    const matched = await scanTools(reading, {
      ids,
      toolOf: this.#parts.toolsThen,
      allows: this.#query.allows ?? (() => true),
      pause: this.#parts.pause,
    });
    if (matched.length === 0) return { hits: [], totalMatches: 0, terms: new Set() };
    const named = await this.#find([]);
    const isNamed = new Set(named.hits.map(({ id }) => id));
    const rest = matched.filter(({ id }) => !isNamed.has(id));
    const also = new Set(this.#query.alsoIds);
    return {
      hits: [
        ...named.hits,
        ...rest.filter(({ id }) => also.has(id)),
        ...rest.filter(({ id }) => !also.has(id)),
      ],
      totalMatches: rest.length + isNamed.size,
      terms: named.terms,
    };
  }

  /** Ranks the best hits; the rest follow in the engine's order. */
  async #rank(found: FoundByTerms, searchType: SearcherQuery['searchType']): Promise<SearcherResult> {
    const { text, alsoIds, allows } = this.#query;
    // The engine may be ahead of this process: tools unknown to this search are dropped.
    const known = found.hits.flatMap((hit) => {
      const tool = this.#parts.toolsThen(hit.id);
      return tool !== undefined && (allows === undefined || allows(tool)) ? [{ hit, tool }] : [];
    });
    const sample = known
      .slice(0, RANKED + alsoIds.length)
      .sort((left, right) => (left.tool.id < right.tool.id ? -1 : 1));
    const catalogue = this.#parts.view.sample(
      sample.map(({ tool }) => ({
        names: namesOf(tool),
        // A pattern needs the texts.
        counted: searchType === 'keyword' ? this.#parts.countedOf(tool) : undefined,
        read: () => toolDocument(tool),
      })),
    );
    const ranked = await findTools(
      catalogue,
      { pattern: text, searchType, limit: sample.length || 1 },
      this.#parts.pause,
    );
    const hits = ranked.hits.map(
      ({ position, meaning: _, ...hit }): SearcherHit => ({ ...hit, id: sample[position]!.tool.id }),
    );
    const rest = known.slice(sample.length);
    const total = hits.length + rest.length;
    return {
      ...this.#within(hits, behind(hits.at(-1)?.score ?? 1, rest, found.terms)),
      // For a sample of all matches, the ranker decides more precisely which names count.
      totalMatches:
        sample.length === found.totalMatches ? ranked.totalMatches : Math.max(found.totalMatches, total),
      certainty: ranked.certainty,
      unknownWords: ranked.unknownWords,
      searchType: ranked.searchType,
    };
  }

  /** Returns the hits within the limit, and wanted ones beyond it. */
  #within(
    hits: readonly SearcherHit[],
    rest: LaterHits<SearcherHit>,
  ): Pick<SearcherResult, 'hits' | 'later'> {
    const { limit, alsoIds, atOnce } = this.#query;
    const count = Math.min(rest.count, limit - hits.length);
    const isEnough = alsoIds.length === 0 && (count <= 0 || hits.length >= (atOnce ?? limit));
    if (!isEnough) {
      const isWanted = new Set(alsoIds);
      const all = [...hits, ...rest.make()];
      return { hits: all.filter(({ id }, place) => place < limit || isWanted.has(id)) };
    }
    if (count <= 0) return { hits: hits.slice(0, limit) };
    return { hits, later: { count, make: () => rest.make().slice(0, count) } };
  }
}

/** A hit of the engine, with its tool at the start of the search. */
interface KnownHit {
  readonly hit: EngineHit;
  readonly tool: StoredTool;
}

/** Returns hits in the engine's order, with scores that start at most at a ceiling and never rise, and their matched fields. */
function behind(
  ceiling: number,
  known: readonly KnownHit[],
  terms: ReadonlySet<string>,
): LaterHits<SearcherHit> {
  const make = () => {
    const best = Math.max(...known.map(({ hit }) => hit.score));
    const stored = termsOf(known.map(({ tool }) => toolDocument(tool)));
    return known.map(({ hit: { id, score, isNamed, place } }, at) => {
      const matched = stored[at]!.filter(({ term }) => terms.has(term)).map((term) => term.place);
      return {
        id,
        score: isNamed || best <= 0 ? ceiling : Math.max(ceiling * (score / best), Number.MIN_VALUE),
        matchedOn: matchedFields(isNamed, place === undefined ? matched : [place]),
      };
    });
  };
  return { count: known.length, make };
}

function matchedFields(isNamed: boolean, places: readonly TermPlace[]): readonly MatchedField[] {
  const fields: MatchedField[] = isNamed ? ['exact_name'] : [];
  if (places.includes('name')) fields.push('name');
  if (places.includes('lead') || places.includes('description')) fields.push('description');
  if (places.includes('parameters')) fields.push('parameters');
  return fields;
}
