import {
  bm25,
  type FindQuery,
  findTools,
  type Hit,
  type LaterHits,
  LiveCatalogue,
  type LiveSnapshot,
  meaningText,
  type Pause,
  type Ranker,
} from '@winnow/ranking';
import type { StoredTool } from '../model/tool.ts';
import { ExcludedPositions } from './excluded-positions.ts';
import type { Searcher, SearcherChange, SearcherHit, SearcherQuery, SearcherResult } from './searcher.ts';
import { toolDocument } from './tool-document.ts';
import { type MeaningTexts, type SearchMeaning, type ToolMeanings, textsOf } from './tool-meanings.ts';

/** What a built-in searcher may have beside its index. */
export interface BuiltInOptions {
  /** The ranker of the selector when it is missing. */
  readonly ranker?: Ranker;
  /** Tools are ordered by keywords alone when it is missing. */
  readonly meanings?: ToolMeanings | undefined;
}

/** The searcher that every registry has: the ranker of the selector, over an index in this process. */
export class BuiltInSearcher implements Searcher {
  readonly name = 'built-in';
  readonly deterministic = true;
  readonly #tools = new Map<string, StoredTool>();
  readonly #live: LiveCatalogue;
  readonly #excluded = new ExcludedPositions();
  readonly #pause: Pause;
  readonly #meanings: ToolMeanings | undefined;

  /** @param pause lets others go first in the middle of a search that takes long. */
  constructor(pause: Pause, { ranker = bm25, meanings }: BuiltInOptions = {}) {
    this.#pause = pause;
    this.#meanings = meanings;
    this.#live = new LiveCatalogue(ranker);
  }

  get bytes(): number {
    return this.#live.snapshot().catalogue.bytes;
  }

  get tools(): ReadonlyMap<string, StoredTool> {
    return this.#tools;
  }

  apply({ upserts, removals }: SearcherChange): void {
    for (const tool of upserts) this.#tools.set(tool.id, tool);
    for (const id of removals) this.#tools.delete(id);
    const documents = upserts.map(toolDocument);
    this.#live.apply([
      ...removals.map((key) => ({ key, document: undefined })),
      ...upserts.map(({ id: key }, at) => ({ key, document: documents[at]! })),
    ]);
    if (documents.length > 0) this.#meanings?.learn(documents, textsOf(documents));
  }

  /** Indexes what was applied, ahead of the search that would have to. */
  prepare(): void {
    this.#live.snapshot();
  }

  async search({
    text,
    searchType,
    allows,
    filterKey,
    limit,
    alsoIds,
    atOnce,
  }: SearcherQuery): Promise<SearcherResult> {
    const snapshot = this.#live.snapshot();
    const isAllowed = (id: string) => allows!(this.#tools.get(id)!);
    const meaning = this.#openMeaning(snapshot, searchType);
    const query: FindQuery = {
      pattern: text,
      searchType,
      ...(meaning && { meaning }),
      limit,
      alsoPositions: alsoIds.flatMap((id) => positionsOf(id, snapshot)),
      ...(atOnce !== undefined && { atOnce }),
      ...(allows && { excluded: this.#excluded.of(snapshot, filterKey, isAllowed) }),
    };
    const found = await findTools(snapshot.catalogue, query, this.#pause);
    const { keyAt } = snapshot;
    const { hits, later, totalMatches, searchType: usedType } = found;
    return {
      hits: hits.map((hit) => toSearcherHit(hit, keyAt)),
      ...(later && { later: laterHits(later, keyAt) }),
      totalMatches,
      searchType: usedType,
      ...(meaning?.isDegraded && { isPartial: true }),
    };
  }

  #openMeaning(
    { catalogue }: LiveSnapshot,
    searchType: SearcherQuery['searchType'],
  ): SearchMeaning | undefined {
    if (searchType === 'keyword' || searchType === 'regex') return undefined;
    const texts: MeaningTexts = {
      count: catalogue.positions,
      table: catalogue.table,
      textOf: (position) =>
        catalogue.absent?.[position] === 1 ? undefined : meaningText(catalogue.table.essence(position)),
    };
    return this.#meanings?.search(texts);
  }
}

/** Keeps nothing of what was searched but the ids. */
function laterHits(later: LaterHits<Hit>, keyAt: LiveSnapshot['keyAt']): LaterHits<SearcherHit> {
  return { count: later.count, make: () => later.make().map((hit) => toSearcherHit(hit, keyAt)) };
}

function toSearcherHit({ position, score, matchedOn }: Hit, keyAt: LiveSnapshot['keyAt']): SearcherHit {
  return { id: keyAt(position), score, matchedOn };
}

function positionsOf(id: string, { catalogue, keyAt }: LiveSnapshot): readonly number[] {
  return catalogue.names
    .positionsOf(id)
    .filter(
      (position) =>
        position < catalogue.positions && catalogue.absent?.[position] !== 1 && keyAt(position) === id,
    );
}
