import type { MatchedField, MeaningGap, SearchType, UsedSearchType } from '@winnow/core';
import type { Certainty, LaterHits } from '@winnow/ranking';
import type { ToolFilter } from '../content/tool-filter.ts';
import type { StoredTool } from '../model/tool.ts';

export interface SearcherQuery {
  /**
   * Text, keywords, a regular expression, a glob, or exact names; never blank. Several stand for several needs, or for
   * other wordings of one: the scores of a tool, as shares of each text's best score, are added.
   */
  readonly text: string | readonly string[];
  readonly searchType: SearchType;
  /** Whether a tool may be found; all tools by default. Other tools are neither ranked nor counted. */
  readonly allows?: (tool: StoredTool) => boolean;
  /** The condition of `allows` as data, for remote searchers: the filter, and the namespaces in sight unless all are. */
  readonly filter: ToolFilter;
  readonly namespaces?: readonly string[];
  /** Key of the filter; empty without one. */
  readonly filterKey: string;
  /** Most hits, at least 1. */
  readonly limit: number;
  /** Ids whose hits are returned even beyond the limit, if they match. */
  readonly alsoIds: readonly string[];
  /** Number of best hits needed at once, at least 1; `later` may provide the rest. All by default. */
  readonly atOnce?: number;
}

/** A matching tool. */
export interface SearcherHit {
  readonly id: string;
  /** Above 0; compares within one result. Tools that the query names come first, regardless of score. */
  readonly score: number;
  readonly matchedOn: readonly MatchedField[];
  /** 0 to 1, comparable between searches; absent if it was not judged. */
  readonly confidence?: number;
}

export interface SearcherResult {
  /** Best first: the best `limit`, then those of `alsoIds` that matched beyond it. */
  readonly hits: readonly SearcherHit[];
  /** The hits after these, up to the limit, when some were left for later. */
  readonly later?: LaterHits<SearcherHit>;
  /** Number of matches, before `limit`. */
  readonly totalMatches: number;
  /** Whether a tool for the query is among the hits, as far as can be told. */
  readonly certainty: Certainty;
  /** Words of the query that no tool contains in any form; at most 8. Empty if `found`. */
  readonly unknownWords: readonly string[];
  /** The search type that was used in the end. */
  readonly searchType: UsedSearchType;
  /** The results of several texts, in their order; absent for one. */
  readonly byText?: readonly TextResult[];
  /** The reason why some vectors were lacking: repeating the query may give a different order. */
  readonly lacksMeaning?: MeaningGap;
}

/** The result of one of several texts. */
export interface TextResult extends Pick<SearcherResult, 'certainty' | 'unknownWords'> {
  /** The best hits, at most three. */
  readonly hits: readonly SearcherHit[];
}

/** Added, changed and removed tools of one change. */
export interface SearcherChange {
  readonly upserts: readonly StoredTool[];
  readonly removals: readonly string[];
}

/**
 * Ranks the tools of one scope for a query. `BuiltInSearcher` does so for every store, with an index in this process.
 *
 * An existing search engine (Elasticsearch, Postgres with its own text search, a vector database) would go here: pass it as
 * `searcher` to `createRegistry`. It receives every change through `apply` and each filter as data; when it fails or is late,
 * the built-in one answers instead, and the result says so.
 *
 * Contract, proved for every searcher by `test/searcher-contract.ts`:
 * - Deterministic, except for partial results: the same tools and query give the same result, regardless of history. Equal
 *   scores are in order of id.
 * - Tools whose names, ids or model names occur in the text come first, in the order of the text.
 * - Tools that the query does not allow are neither ranked nor counted, and take no place under the limit.
 * - A search sees all changes applied before it began, and none applied while it runs.
 * - May reject, in which case another searcher takes over; stops early when the signal aborts.
 */
export interface Searcher {
  readonly name: string;
  readonly deterministic: true;
  /** Approximate memory use, in bytes. */
  readonly bytes: number;
  /** Prepares tools that are about to be applied. Optional; does not change any result. */
  readAhead?(tools: readonly StoredTool[]): void;
  apply(change: SearcherChange): void;
  /** Catches up with many applied changes, before a search that is not to block others. Optional. */
  prepare?(): Promise<void>;
  search(query: SearcherQuery, signal: AbortSignal): Promise<SearcherResult>;
}

/** The searcher that failed, and the reason. */
export interface Degradation {
  readonly searcher: string;
  readonly reason: MeaningGap;
}

/** Options of a {@link GuardedSearch}. */
interface GuardOptions {
  readonly searcher: Searcher;
  /** The built-in searcher, which takes over on failure; the same object when there is no other searcher. */
  readonly fallback: Searcher;
  /** Time limit of the searcher, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns a signal that aborts after the given milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Reports every search that the fallback resolved. */
  readonly onDegraded: (degradation: Degradation, error: unknown) => void;
}

/** Runs searches, and falls back to the built-in searcher when the configured one fails or is late. */
export class GuardedSearch {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Lets the searcher catch up with the changes so far. */
  async prepare(): Promise<void> {
    await this.#options.searcher.prepare?.();
  }

  /** Rejects only when the built-in searcher does, which is a defect. */
  async search(
    query: SearcherQuery,
    signal: AbortSignal,
  ): Promise<{ readonly result: SearcherResult; readonly degraded: Degradation | undefined }> {
    const { searcher, fallback, timeoutMs, deadline, onDegraded } = this.#options;
    // The built-in searcher has no fallback, and its work is bounded.
    if (searcher === fallback) return { result: await fallback.search(query, signal), degraded: undefined };
    const limit = deadline(timeoutMs);
    try {
      const search = searcher.search(query, AbortSignal.any([signal, limit]));
      return { result: await beforeAbort(search, limit), degraded: undefined };
    } catch (error) {
      const degraded: Degradation = {
        searcher: searcher.name,
        reason: limit.aborted ? 'deadline' : 'failed',
      };
      onDegraded(degraded, error);
      await fallback.prepare?.();
      return { result: await fallback.search(query, signal), degraded };
    }
  }
}

/** Settles as the promise does, or rejects when the signal aborts first. */
function beforeAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
