import { bm25, findTools, LiveCatalogue, type LiveSnapshot, type Pause, type Ranker } from '@winnow/ranking';
import type { StoredTool } from '../model/tool.ts';
import { ExcludedPositions } from './excluded-positions.ts';
import type { Searcher, SearcherChange, SearcherQuery, SearcherResult } from './searcher.ts';
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
  }: SearcherQuery): Promise<SearcherResult> {
    const snapshot = this.#live.snapshot();
    const isAllowed = (id: string) => allows!(this.#tools.get(id)!);
    const query = {
      pattern: text,
      searchType,
      limit,
      alsoPositions: alsoIds.flatMap((id) => positionsOf(id, snapshot)),
      ...(allows && { excluded: this.#excluded.of(snapshot, filterKey, isAllowed) }),
    };
    const found = await findTools(snapshot.catalogue, query, this.#pause);
    return {
      hits: found.hits.map(({ position, score, matchedOn }) => ({
        id: snapshot.keyAt(position),
        score,
        matchedOn,
      })),
      totalMatches: found.totalMatches,
      searchType: found.searchType,
    };
  }
}

function positionsOf(id: string, { catalogue, keyAt }: LiveSnapshot): readonly number[] {
  return catalogue.names
    .positionsOf(id)
    .filter(
      (position) =>
        position < catalogue.positions && catalogue.absent?.[position] !== 1 && keyAt(position) === id,
    );
}
