import type { MeaningGap } from '@winnow/core';
import {
  bm25,
  type FindQuery,
  findTools,
  type Hit,
  type LaterHits,
  LiveCatalogue,
  type LiveChange,
  type LiveSnapshot,
  type MeaningSource,
  meaningText,
  NAMED_OF_EACH,
  type Pause,
  type Ranker,
  type ToolDocument,
  toDocument,
} from '@winnow/ranking';
import { definitionOf, type StoredTool } from '../model/tool.ts';
import { hashedModelName, plainModelName } from '../model/tool-names.ts';
import type { Searcher, SearcherChange, SearcherHit, SearcherQuery, SearcherResult } from './searcher.ts';

/** Options of a {@link BuiltInSearcher}. */
interface BuiltInOptions {
  /** The selector's ranker by default. */
  readonly ranker?: Ranker;
  /** Ranks by keywords alone when missing. */
  readonly meanings?: ToolMeanings | undefined;
  /** Most tools that are indexed without a pause: 20,000 by default, about a second. */
  readonly mostAtOnce?: number;
}

/** Tools indexed between two pauses: some milliseconds. */
const TOOLS_PER_SLICE = 100;

/** From this many unread tools on, a search rebuilds the index instead of extending it. */
const MANY = 1_000;

/**
 * The searcher of every registry: the selector's ranker over an index in this process.
 *
 * Changes are indexed in slices in the background. A search that starts earlier indexes the rest first.
 */
export class BuiltInSearcher implements Searcher {
  readonly name = 'built-in';
  readonly deterministic = true;
  readonly #tools = new Map<string, StoredTool>();
  /** Ids of tools added, changed or removed since the last indexing, with their documents if already made. */
  readonly #unread = new Map<string, ToolDocument | undefined>();
  /** Documents of tools to be applied next. */
  #ahead = new Map<StoredTool, ToolDocument>();
  #isReading = false;
  #live: LiveCatalogue;
  readonly #ranker: Ranker;
  readonly #excluded = new ExcludedPositions();
  readonly #pause: Pause;
  readonly #meanings: ToolMeanings | undefined;
  readonly #mostAtOnce: number;

  /** @param pause Yields to other work during a long search. */
  constructor(pause: Pause, { ranker = bm25, meanings, mostAtOnce = 20_000 }: BuiltInOptions = {}) {
    this.#pause = pause;
    this.#meanings = meanings;
    this.#mostAtOnce = mostAtOnce;
    this.#ranker = ranker;
    this.#live = new LiveCatalogue(ranker);
  }

  get bytes(): number {
    return this.#live.snapshot().catalogue.bytes;
  }

  readAhead(tools: readonly StoredTool[]): void {
    for (const tool of tools) this.#ahead.set(tool, toolDocument(tool));
  }

  apply({ upserts, removals }: SearcherChange): void {
    for (const tool of upserts) this.#tools.set(tool.id, tool);
    for (const id of removals) this.#tools.delete(id);
    const ahead = this.#ahead;
    this.#ahead = new Map();
    const documents = this.#meanings && upserts.map((tool) => ahead.get(tool) ?? toolDocument(tool));
    for (const [at, tool] of upserts.entries()) this.#unread.set(tool.id, documents?.[at] ?? ahead.get(tool));
    for (const id of removals) this.#unread.set(id, undefined);
    if (documents !== undefined && documents.length > 0) this.#meanings?.learn(documents, textsOf(documents));
    // The next search meets the same error and reports it.
    this.#readInSlices().catch(() => {});
  }

  async prepare(): Promise<void> {
    if (this.#unread.size > this.#mostAtOnce) {
      while (this.#unread.size > MANY) {
        this.#read(TOOLS_PER_SLICE);
        await this.#pause();
      }
    }
    this.#read(this.#unread.size);
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
    this.#read(this.#unread.size);
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
    const { hits, later, totalMatches, certainty, unknownWords, searchType: usedType } = found;
    return {
      hits: hits.map((hit) => toSearcherHit(hit, keyAt)),
      ...(later && { later: laterHits(later, keyAt) }),
      ...{ totalMatches, certainty, unknownWords },
      searchType: usedType,
      ...(found.byPattern && {
        byText: found.byPattern.map((one) => ({
          hits: one.hits.slice(0, NAMED_OF_EACH).map((hit) => toSearcherHit(hit, keyAt)),
          ...{ certainty: one.certainty, unknownWords: one.unknownWords },
        })),
      }),
      ...(meaning?.degraded && { lacksMeaning: meaning.degraded }),
    };
  }

  async #readInSlices(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      do {
        await this.#pause();
        this.#read(TOOLS_PER_SLICE);
      } while (this.#unread.size > 0);
    } finally {
      this.#isReading = false;
    }
  }

  /** Indexes up to the given number of unread tools. */
  #read(most: number): void {
    const unread = this.#unread.size;
    if (unread === 0) return;
    if (most >= unread && unread >= MANY && unread >= this.#tools.size / 2) {
      this.#readAnew();
      return;
    }
    const changes: LiveChange[] = [];
    for (const [key, document] of this.#unread) {
      if (changes.length === most) break;
      const tool = this.#tools.get(key);
      changes.push({ key, document: tool && (document ?? toolDocument(tool)) });
    }
    this.#live.apply(changes);
    this.#live.snapshot();
    for (const { key } of changes) this.#unread.delete(key);
  }

  /** Rebuilds the whole index, which is faster than adding many tools to it. */
  #readAnew(): void {
    const live = new LiveCatalogue(this.#ranker);
    const documentOf = (tool: StoredTool) => this.#unread.get(tool.id) ?? toolDocument(tool);
    live.apply([...this.#tools].map(([key, tool]) => ({ key, document: documentOf(tool) })));
    live.snapshot();
    this.#live = live;
    this.#unread.clear();
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

/** Keeps only the ids of the searched tools alive. */
function laterHits(later: LaterHits<Hit>, keyAt: LiveSnapshot['keyAt']): LaterHits<SearcherHit> {
  return { count: later.count, make: () => later.make().map((hit) => toSearcherHit(hit, keyAt)) };
}

function toSearcherHit(
  { position, score, matchedOn, confidence }: Hit,
  keyAt: LiveSnapshot['keyAt'],
): SearcherHit {
  return { id: keyAt(position), score, matchedOn, ...(confidence !== undefined && { confidence }) };
}

function positionsOf(id: string, { catalogue, keyAt }: LiveSnapshot): readonly number[] {
  return catalogue.names
    .positionsOf(id)
    .filter(
      (position) =>
        position < catalogue.positions && catalogue.absent?.[position] !== 1 && keyAt(position) === id,
    );
}

/** Most cached filters. */
const MAX_FILTERS = 64;

interface Known {
  /** By position: 1 for a tool that the filter leaves out. Has room to grow. */
  excluded: Uint8Array;
  /** Positions below are decided. */
  decided: number;
}

/**
 * The positions that filters exclude.
 *
 * A tool keeps its position until it changes, and then gets a new one after all others. So a cached filter only checks
 * tools added since its last use. A repacked table starts over.
 */
class ExcludedPositions {
  readonly #byTable = new WeakMap<object, Map<string, Known>>();

  /** Returns the excluded positions for `findTools`. @param filterKey A key that is equal for equal filters. */
  of(snapshot: LiveSnapshot, filterKey: string, isAllowed: (id: string) => boolean): Uint8Array {
    const { table, positions, absent } = snapshot.catalogue;
    const filters = this.#byTable.get(table) ?? new Map<string, Known>();
    this.#byTable.set(table, filters);
    const known = filters.get(filterKey) ?? { excluded: new Uint8Array(positions), decided: 0 };
    if (known.excluded.length < positions) known.excluded = grown(known.excluded, positions);
    for (let position = known.decided; position < positions; position++) {
      // The catalogue itself excludes removed tools, whose ids may now belong to others.
      const isOut = absent?.[position] !== 1 && !isAllowed(snapshot.keyAt(position));
      known.excluded[position] = isOut ? 1 : 0;
    }
    known.decided = Math.max(known.decided, positions);
    // Moved to the end, so that the least recently used filter is evicted first.
    filters.delete(filterKey);
    filters.set(filterKey, known);
    if (filters.size > MAX_FILTERS) filters.delete(filters.keys().next().value!);
    return known.excluded;
  }
}

function grown(array: Uint8Array, least: number): Uint8Array {
  const larger = new Uint8Array(Math.ceil(least * 1.25));
  larger.set(array);
  return larger;
}

/** Returns the searchable document of a tool: its texts, all its names, and the titles of its examples. */
function toolDocument(tool: StoredTool): ToolDocument {
  const document = toDocument({
    name: tool.name,
    description: tool.description,
    definition: definitionOf(tool),
  });
  return {
    ...document,
    namespace: tool.namespace,
    title: tool.title,
    tags: tool.tags,
    examples: [...(document.examples ?? []), ...tool.examples.map(({ title }) => title)],
    aliases: aliasesOf(tool),
  };
}

/** Returns the id, the model name, and the name prefixed with each server, unless equal to the name itself. */
function aliasesOf({ id, name, prefix, backends }: StoredTool): readonly string[] {
  const servers = backends.flatMap((backend) =>
    backend.kind === 'mcp' ? [`${backend.server}__${name}`] : [],
  );
  const aliases = new Set([id, plainModelName(id, prefix) ?? hashedModelName(id, prefix), ...servers]);
  aliases.delete(name);
  return [...aliases];
}

/** Texts by their numbers, from 0. */
export interface MeaningTexts {
  readonly count: number;
  /** Returns the text at a position; undefined for a removed one. */
  textOf(position: number): string | undefined;
  /** Identity of the numbering: for the same object, each number stands for the same text. */
  readonly table: object;
}

/** The meaning of one search, and the reason if some vectors were lacking. */
export interface SearchMeaning extends MeaningSource {
  readonly degraded: MeaningGap | undefined;
}

/**
 * Source of the vectors of tools and queries; passed in, so that the registry depends on no model.
 *
 * Contract: never throws or rejects; a search waits for a bounded time.
 */
export interface ToolMeanings {
  search(texts: MeaningTexts): SearchMeaning;
  /** Computes missing vectors of texts in the background, once for each object `of`. */
  learn(of: object, texts: MeaningTexts): void;
}

/** Returns the texts that are embedded for these tools. */
export function textsOf(
  documents: readonly Pick<ToolDocument, 'name' | 'description' | 'parameters'>[],
): MeaningTexts {
  return {
    count: documents.length,
    textOf: (position) => meaningText(documents[position]!),
    table: documents,
  };
}
