import type { MatchedField } from '@winnow/contract';
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

/** How many of what the engine finds are ranked here. */
const RANKED = 200;

/** Tools that a search counts before it begins: a batch of changes. What is more is counted in slices of some milliseconds. */
const COUNTED_AT_ONCE = 1_000;
const SLICE = 100;

/** The tools as they were when a search began. */
type ToolsThen = (id: string) => StoredTool | undefined;

/**
 * Searches tools that an engine keeps: it finds the likely ones among all, and the ranker of the selector orders these by the scores that
 * they have among all. What it takes from the others for that (how many there are, how long, and how many have each word) is counted here.
 *
 * Regular expressions and globs are looked for in names, titles, tags and descriptions, not in parameters.
 */
export class EngineSearcher implements Searcher {
  readonly name: string;
  readonly deterministic = true;
  readonly #engine: SearchEngine;
  readonly #pause: Pause;
  readonly #tools = new Map<string, StoredTool>();
  readonly #collection = new Collection();
  /** Tools that are counted in, with a digest of what was counted. */
  readonly #counted = new Map<string, { document: CountedDocument; searchHash: string }>();
  /** Ids of tools that may have changed since they were counted. */
  readonly #uncounted = new Set<string>();
  /** For each search that runs: tools that changed since it began, as they were then. */
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

  /** Counts tools in that are not to be found yet. */
  readAhead(tools: readonly StoredTool[]): void {
    this.#countIn(tools);
    // What does not come after all is counted out again.
    for (const { id } of tools) this.#uncounted.add(id);
  }

  apply({ upserts, removals }: SearcherChange): void {
    for (const tool of upserts) this.#set(tool.id, tool);
    for (const id of removals) this.#set(id, undefined);
  }

  /** Counts what was applied, ahead of the search that would have to. */
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

/** What the engine found, and the terms that it was asked for. */
interface FoundByTerms extends EngineResult {
  readonly terms: ReadonlySet<string>;
}

/** What a search works with. */
interface SearchParts {
  readonly view: CollectionView;
  readonly toolsThen: ToolsThen;
  /** What a tool came to, if just that is counted in now. */
  readonly countedOf: (tool: StoredTool) => CountedDocument | undefined;
  readonly engine: SearchEngine;
  readonly pause: Pause;
}

/** One search. */
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

  /** Whether tools are looked at one by one. */
  get isPattern(): boolean {
    return this.#readings.some(({ kind }) => kind !== 'keyword');
  }

  /** @param ids of all tools when the search began, in any order; none are needed when there is no pattern. */
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

  /** What a pattern matches, and what is named beside it. */
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

  /** The best of what was found, ranked, and the rest behind it in the order in which it was found. */
  async #rank(found: FoundByTerms, searchType: SearcherQuery['searchType']): Promise<SearcherResult> {
    const { text, alsoIds, allows } = this.#query;
    // The engine may be a moment ahead: what this search may not know of is none of its tools.
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
        // A pattern is looked for in texts.
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
      ({ position, score, matchedOn }): SearcherHit => ({ id: sample[position]!.tool.id, score, matchedOn }),
    );
    const rest = known.slice(sample.length);
    const total = hits.length + rest.length;
    return {
      ...this.#within(hits, behind(hits.at(-1)?.score ?? 1, rest, found.terms)),
      // Of a sample that is all there is, the ranker knows better which of the names are names.
      totalMatches:
        sample.length === found.totalMatches ? ranked.totalMatches : Math.max(found.totalMatches, total),
      searchType: ranked.searchType,
    };
  }

  /** What is within the limit, or wanted beyond it. */
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

/** A tool that the engine found, as it was then. */
interface KnownHit {
  readonly hit: EngineHit;
  readonly tool: StoredTool;
}

/** Hits in the engine's order, with scores that begin at most at a ceiling and never rise; and where they match, by the terms that were asked for. */
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
