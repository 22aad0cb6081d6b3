import {
  bm25,
  type FindQuery,
  findTools,
  type Hit,
  type LaterHits,
  LiveCatalogue,
  type LiveSnapshot,
  type Pause,
  type Ranker,
} from '@winnow/ranking';
import type { StoredTool } from '../model/tool.ts';
import { ExcludedPositions } from './excluded-positions.ts';
import type { Searcher, SearcherChange, SearcherHit, SearcherQuery, SearcherResult } from './searcher.ts';
import { toolDocument } from './tool-document.ts';

/** The searcher that every registry has: the ranker of the selector, over an index in this process. */
export class BuiltInSearcher implements Searcher {
  readonly name = 'built-in';
  readonly deterministic = true;
  readonly #tools = new Map<string, StoredTool>();
  readonly #live: LiveCatalogue;
  readonly #excluded = new ExcludedPositions();
  readonly #pause: Pause;

  /** @param pause lets others go first in the middle of a search that takes long. */
  constructor(pause: Pause, ranker: Ranker = bm25) {
    this.#pause = pause;
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
    this.#live.apply([
      ...removals.map((key) => ({ key, document: undefined })),
      ...upserts.map((tool) => ({ key: tool.id, document: toolDocument(tool) })),
    ]);
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
    const query: FindQuery = {
      pattern: text,
      searchType,
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
    };
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
