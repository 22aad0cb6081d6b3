import type { Pause } from '@winnow/ranking';
import type { StoredTool } from '../model/tool.ts';
import { BuiltInSearcher } from './built-in-searcher.ts';
import { EngineSearcher } from './engine-searcher.ts';
import type { SearchEngine } from './search-engine.ts';
import type { Searcher, SearcherChange, SearcherQuery, SearcherResult } from './searcher.ts';
import type { ToolMeanings } from './tool-meanings.ts';

/** Within this share of the limit both ways are kept ready, so that a scope at the limit does not begin anew with every change. */
const BAND = 0.1;

/**
 * Searches with the index of this process up to so many tools, and with an engine beyond. Which of them answers follows from the number
 * of tools alone, so that all instances over one store answer alike.
 */
export class SizedSearcher implements Searcher {
  readonly name = 'built-in';
  readonly deterministic = true;
  readonly #engine: SearchEngine;
  readonly #mostIndexed: number;
  readonly #pause: Pause;
  readonly #meanings: ToolMeanings | undefined;
  /** One of them at least. */
  #inProcess: BuiltInSearcher | undefined;
  #inEngine: EngineSearcher | undefined;
  /** Tools that were read and not applied yet. */
  #ahead = 0;

  /** @param mostIndexed most tools that are searched by the index of this process. */
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

  /** Which of them will have the tools follows from how many come. */
  readAhead(tools: readonly StoredTool[]): void {
    this.#ahead += tools.length;
    if (this.#ahead <= this.#mostIndexed * (1 + BAND)) {
      this.#inProcess?.readAhead(tools);
      return;
    }
    // What it has read ahead goes with it.
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

  /** Makes ready, ahead of the first search. */
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
