import type { Pause } from '@winnow/ranking';
import type { StoredTool } from '../model/tool.ts';
import { BuiltInSearcher } from './built-in-searcher.ts';
import { EngineSearcher } from './engine-searcher.ts';
import type { SearchEngine } from './search-engine.ts';
import type { Searcher, SearcherChange, SearcherQuery, SearcherResult } from './searcher.ts';
import type { ToolMeanings } from './tool-meanings.ts';

/** Within this share of the limit both searchers stay ready, so a scope at the limit does not rebuild on every change. */
const BAND = 0.1;

/**
 * Searches with an index in this process up to a number of tools, and with an engine beyond it. Only the number of tools
 * decides, so all instances over one store give the same results.
 */
export class SizedSearcher implements Searcher {
  readonly name = 'built-in';
  readonly deterministic = true;
  readonly #engine: SearchEngine;
  readonly #mostIndexed: number;
  readonly #pause: Pause;
  readonly #meanings: ToolMeanings | undefined;
  /** At least one of the two is present. */
  #inProcess: BuiltInSearcher | undefined;
  #inEngine: EngineSearcher | undefined;
  /** Number of tools read ahead but not applied yet. */
  #ahead = 0;

  /** @param mostIndexed Most tools that the index of this process searches. */
  constructor(engine: SearchEngine, mostIndexed: number, pause: Pause, meanings?: ToolMeanings) {
    this.#engine = engine;
    this.#mostIndexed = mostIndexed;
    this.#pause = pause;
    this.#meanings = meanings;
    this.#inProcess = new BuiltInSearcher(pause, { meanings });
  }

  get bytes(): number {
    return (this.#inProcess?.bytes ?? 0) + (this.#inEngine?.bytes ?? 0);
  }

  /** Prepares the searcher that will hold this number of tools. */
  readAhead(tools: readonly StoredTool[]): void {
    this.#ahead += tools.length;
    if (this.#ahead <= this.#mostIndexed * (1 + BAND)) {
      this.#inProcess?.readAhead(tools);
      return;
    }
    // This drops the documents that it has read ahead.
    this.#inProcess = undefined;
    this.#inEngine ??= new EngineSearcher(this.#engine, this.#pause);
    this.#inEngine.readAhead(tools);
  }

  apply(change: SearcherChange): void {
    this.#ahead = 0;
    const known = this.#tools;
    const count =
      known.size +
      new Set(change.upserts.map(({ id }) => id).filter((id) => !known.has(id))).size -
      change.removals.filter((id) => known.has(id)).length;
    const all = () => ({ upserts: [...known.values()], removals: [] });
    if (count > this.#mostIndexed * (1 + BAND)) this.#inProcess = undefined;
    else if (this.#inProcess === undefined) {
      this.#inProcess = new BuiltInSearcher(this.#pause, { meanings: this.#meanings });
      this.#inProcess.apply(all());
    }
    if (count <= this.#mostIndexed * (1 - BAND)) this.#inEngine = undefined;
    else if (this.#inEngine === undefined) {
      this.#inEngine = new EngineSearcher(this.#engine, this.#pause);
      this.#inEngine.apply(all());
    }
    this.#inProcess?.apply(change);
    this.#inEngine?.apply(change);
  }

  /** Prepares the active searcher ahead of the first search. */
  async prepare(): Promise<void> {
    if (this.#isIndexed) this.#inProcess!.prepare();
    else await this.#inEngine!.prepare();
  }

  search(query: SearcherQuery): Promise<SearcherResult> {
    return this.#isIndexed ? this.#inProcess!.search(query) : this.#inEngine!.search(query);
  }

  get #tools() {
    return (this.#inProcess ?? this.#inEngine)!.tools;
  }

  get #isIndexed(): boolean {
    return this.#tools.size <= this.#mostIndexed;
  }
}
