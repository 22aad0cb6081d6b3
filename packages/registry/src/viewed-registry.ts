import { createHmac, hash } from 'node:crypto';
import type { ChangeEvent } from './changes/change-history.ts';
import { type ChangeListener, followChanges, type HistoryPlace } from './changes/change-history.ts';
import { planExamples } from './changes/plan-examples.ts';
import {
  type Effect,
  type OnDifference,
  planRegistration,
  planRemoval,
  type RegistrationBounds,
  refuseServer,
  type ServerTerms,
  touchedIds,
} from './changes/plan-registration.ts';
import {
  listedIds,
  PreparedTools,
  planServerList,
  type ServerList,
  type ServerListEffects,
} from './changes/plan-server-list.ts';
import {
  compileFilter,
  filterKey,
  intersectSights,
  type Sight,
  type ToolFilter,
} from './content/tool-filter.ts';
import {
  type DetailLevel,
  detailTool,
  type Surroundings,
  summarizeTool,
  type ToolDetail,
  type ToolSummary,
} from './describe-tool.ts';
import { REGISTRY_LIMITS } from './limits.ts';
import {
  type Backend,
  definitionOf,
  plainBackend,
  type Registration,
  type StoredTool,
  type ToolExample,
} from './model/tool.ts';
import { namespaceOf } from './model/tool-names.ts';
import { type CursorBinding, type Cursors, listPage, type PageReading } from './pages.ts';
import { type Outcome, refuse } from './problem.ts';
import type {
  ChangeOptions,
  ChangeSummary,
  Expansion,
  NamespaceCount,
  Page,
  PageRequest,
  RegisterOptions,
  Registry,
  RegistryStats,
  ServerListSummary,
} from './registry.ts';
import type { Changed, ChangeRequest, Scope } from './scope.ts';
import type { ScopeSearch } from './search/scope-search.ts';
import type { FoundTool, SearchOptions, SearchPage } from './search/search-options.ts';
import type { SearcherHit } from './search/searcher.ts';
import { type AlwaysLoaded, RegistrySearchTool, type SearchTool } from './search-tool/search-tool.ts';
import { dayOf, lastSevenDays } from './stores/store.ts';

/** A signal that never aborts. */
const NO_SIGNAL = new AbortController().signal;

/** Parts that all views of one registry share. */
export interface RegistryParts extends Surroundings {
  readonly scope: Scope;
  readonly cursors: Cursors;
  readonly searches: ScopeSearch;
  /** Memory used by the index, in bytes. */
  readonly indexBytes: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Yields to other work during a long task. */
  readonly pause: () => Promise<void>;
  /** Tools that a model sees from the start. */
  readonly alwaysLoaded: AlwaysLoaded;
  /** Returns the terms of an MCP server; undefined for an unknown one. Missing where no server is ever called. */
  readonly serverTerms: ((server: string) => ServerTerms | undefined) | undefined;
  readonly onDifference: OnDifference;
  readonly close: () => Promise<void>;
}

/** A registry limited to the sight of its holder. `Registry` describes each method. */
export class ViewedRegistry implements Registry {
  readonly #parts: RegistryParts;
  readonly #sight: Sight;
  readonly searchTool: SearchTool;

  constructor(parts: RegistryParts, sight: Sight) {
    this.#parts = parts;
    this.#sight = sight;
    this.searchTool = new RegistrySearchTool({
      tools: parts.tools,
      sight,
      store: parts.scope.store,
      version: () => parts.scope.version,
      search: (query, options, signal) => this.search(query, options, signal),
      alwaysLoaded: parts.alwaysLoaded,
      wallClock: parts.wallClock,
    });
  }

  get version(): number {
    return this.#parts.scope.version;
  }

  get epoch(): string {
    return this.#parts.scope.store.epoch.id;
  }

  get toolCount(): number {
    return this.#parts.scope.tools.size;
  }

  get indexBytes(): number {
    return this.#parts.indexBytes();
  }

  sees(namespace: string): boolean {
    return this.#sight.sees(namespace);
  }

  within(sight: Sight): Registry {
    return new ViewedRegistry(this.#parts, intersectSights(this.#sight, sight));
  }

  idsOfServer(server: string): readonly string[] {
    const sees = (id: string) => this.#sight.sees(namespaceOf(id));
    return [...this.#parts.scope.tools.idsOfServer(server)].filter(sees).sort();
  }

  async readNote(name: string): Promise<string | undefined> {
    return this.#parts.scope.store.readNote(name);
  }

  async writeNote(name: string, value: string): Promise<void> {
    await this.#parts.scope.store.writeNote(name, value);
  }

  async register(
    tools: readonly Registration[],
    { dryRun = false, expectVersion, onDifference = this.#parts.onDifference }: RegisterOptions = {},
  ): Promise<Outcome<ChangeSummary>> {
    const { scope, serverTerms } = this.#parts;
    const bounds: RegistrationBounds = {
      limits: scope.limits,
      onDifference,
      mayChange: (namespace) => this.#sight.sees(namespace),
      refuseServer: (named) => serverTerms && refuseServer(named, serverTerms(named.server), this.#sight),
    };
    const request = {
      ids: touchedIds(tools),
      expectVersion,
      plan: (base) => planRegistration(tools, base, bounds),
    } satisfies ChangeRequest<{ effects: readonly { id: string; effect: Effect }[] }>;
    const changed = dryRun ? await scope.try(request) : await scope.change(request);
    return changed.ok ? this.#summarizeChange(changed.version, changed.effects) : changed;
  }

  async registerFromMcp(list: ServerList): Promise<Outcome<ServerListSummary>> {
    const { scope } = this.#parts;
    if (!this.#sight.sees(list.namespace)) {
      return refuse('forbidden', 'This token may not change that namespace.', 'namespace');
    }
    const prepared = await PreparedTools.inSlices(list, this.#parts.pause);
    const { clearedNamespaces: cleared } = list;
    const present = [...scope.tools.idsOfServer(list.server)].filter(
      (id) => cleared === undefined || cleared.includes(namespaceOf(id)),
    );
    return scope.change({
      ids: [...new Set([...listedIds(list), ...present])],
      expectVersion: undefined,
      plan: (base) => planServerList(list, present, base, scope.limits, prepared),
    } satisfies ChangeRequest<ServerListEffects>);
  }

  async unregister(
    idOrName: string,
    backend?: Backend,
    { expectVersion }: ChangeOptions = {},
  ): Promise<Outcome<ChangeSummary>> {
    const id = this.#idOf(idOrName);
    const removal = { id, ...(backend && { backend }) };
    const sees = (namespace: string) => this.#sight.sees(namespace);
    return this.#change({
      ids: [id],
      expectVersion,
      plan: (base) => planRemoval(removal, base, sees),
    });
  }

  async setExamples(
    idOrName: string,
    examples: readonly ToolExample[],
    { expectVersion }: ChangeOptions = {},
  ): Promise<Outcome<ChangeSummary>> {
    const id = this.#idOf(idOrName);
    const sees = (namespace: string) => this.#sight.sees(namespace);
    return this.#change({
      ids: [id],
      expectVersion,
      plan: (base) => planExamples(id, examples, base, sees),
    });
  }

  async refresh(): Promise<Outcome<{ readonly version: number }>> {
    const change = { upserts: [], removals: [], events: [{ type: 'refreshed' }] } as const;
    return this.#parts.scope.change({
      ids: [],
      expectVersion: undefined,
      plan: () => ({ ok: true, change }),
    });
  }

  onChange(listener: ChangeListener): () => void {
    if (typeof listener !== 'function') return () => {};
    return this.#parts.scope.listeners.add((event) => {
      if (this.#seesEvent(event)) listener(event);
    });
  }

  changesSince(place: HistoryPlace): Outcome<{ readonly events: readonly ChangeEvent[] }> {
    const { scope } = this.#parts;
    const events = scope.history.since(place, scope.version);
    if (events === undefined) {
      // A version ahead of the newest belongs to another epoch.
      const message =
        place.version > scope.version
          ? 'This version has not existed: list the tools again.'
          : 'The changes since then are no longer kept: list the tools again.';
      return refuse('stale_cursor', message, 'since');
    }
    return {
      ok: true,
      events: events.filter((event) => this.#seesEvent(event)).map((event) => structuredClone(event)),
    };
  }

  changes(
    place: HistoryPlace,
    signal: AbortSignal,
  ): Outcome<{ readonly events: AsyncIterable<ChangeEvent> }> {
    const kept = this.changesSince(place);
    if (!kept.ok) return kept;
    return { ok: true, events: followChanges(kept.events, (listener) => this.onChange(listener), signal) };
  }

  async get(idOrName: string, detail: DetailLevel = 'full'): Promise<ToolDetail | undefined> {
    const tool = this.#find(idOrName);
    if (tool === undefined) return undefined;
    const calls = detail === 'full' ? await this.#callsOf(tool.id) : 0;
    return detailTool(tool, detail, calls, this.#parts);
  }

  async backends(idOrName: string): Promise<readonly Backend[] | undefined> {
    return this.#find(idOrName)?.backends.map(plainBackend);
  }

  async list(filter: ToolFilter = {}, page: PageRequest = {}): Promise<Outcome<Page<ToolSummary>>> {
    const allows = compileFilter(filter, this.#sight);
    const { tools } = this.#parts;
    const binding = { kind: 'tools', key: filterKey(filter, this.#sight) } as const;
    return listPage(this.#reading(binding), page, {
      *after(id) {
        for (const tool of tools.after(id)) if (allows === undefined || allows(tool)) yield tool;
      },
      key: (tool) => tool.id,
      row: (tool) => summarizeTool(tool, this.#parts),
    });
  }

  async namespaces(page: PageRequest = {}): Promise<Outcome<Page<NamespaceCount>>> {
    const rows = this.#namespaceCounts();
    const binding = { kind: 'namespaces', key: this.#sight.key } as const;
    return listPage(this.#reading(binding), page, {
      *after(name) {
        for (const row of rows) if (name === undefined || row.name > name) yield row;
      },
      key: (row) => row.name,
      row: (row) => row,
    });
  }

  async search(
    query: string | readonly string[],
    options: SearchOptions = {},
    signal: AbortSignal = NO_SIGNAL,
  ): Promise<Outcome<SearchPage>> {
    const found = await this.#parts.searches.search(query, options, this.#sight, signal);
    if (!found.ok) return found;
    const { hits, byText, ...rest } = found;
    const byQuery = byText?.map(({ hits, ...one }) => ({ ...one, tools: this.#describeHits(hits) }));
    return {
      ...{ ...rest, noMatch: found.totalMatches === 0, tools: this.#describeHits(hits) },
      ...(byQuery && { byQuery }),
    };
  }

  async expand(idsOrNames: readonly string[]): Promise<Outcome<Expansion>> {
    const { expansion } = REGISTRY_LIMITS;
    if (idsOrNames.length > expansion) {
      return refuse('limit_exceeded', `One expansion returns at most ${expansion} tools.`, 'ids');
    }
    const found = [...new Set(idsOrNames)].map((name) => ({ name, tool: this.#find(name) }));
    // An id and a model name may stand for the same tool.
    const tools = new Set(found.flatMap(({ tool }) => tool ?? []));
    return {
      ok: true,
      version: this.version,
      tools: [...tools].map((tool) => ({
        ...summarizeTool(tool, this.#parts),
        definition: definitionOf(tool),
      })),
      unknown: found.filter(({ tool }) => tool === undefined).map(({ name }) => name),
    };
  }

  async countCalls(idsOrNames: readonly string[]): Promise<void> {
    const calls = new Map<string, number>();
    for (const name of idsOrNames) {
      const id = this.#find(name)?.id;
      if (id !== undefined) calls.set(id, (calls.get(id) ?? 0) + 1);
    }
    if (calls.size === 0) return;
    await this.#parts.scope.store.countCalls(dayOf(this.#parts.wallClock()), calls);
  }

  catchUp(): Promise<void> {
    return this.#parts.scope.catchUp();
  }

  sign(purpose: string, text: string): string {
    const { name, store } = this.#parts.scope;
    const hmac = createHmac('sha256', Buffer.from(store.epoch.key, 'hex'));
    return hmac.update(JSON.stringify(['sign', purpose, name, text])).digest('base64url');
  }

  async stats(): Promise<RegistryStats> {
    return readStats(this.#parts, this.#sight);
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  #seesEvent({ id }: ChangeEvent): boolean {
    return id === undefined || this.#sight.sees(namespaceOf(id));
  }

  /** Returns the id of a name; an unknown name counts as an id, which the newest content may have. */
  #idOf(idOrName: string): string {
    return this.#parts.tools.find(idOrName)?.id ?? idOrName;
  }

  async #change(request: ChangeRequest<unknown>): Promise<Outcome<ChangeSummary>> {
    const { scope } = this.#parts;
    let [removed, updated] = [0, 0];
    const changed: Changed<unknown> = await scope.change({
      ...request,
      plan: (base) => {
        const planned = request.plan(base);
        if (planned.ok) {
          removed = planned.change.removals.length;
          updated = planned.change.upserts.length;
        }
        return planned;
      },
    });
    if (!changed.ok) return changed;
    const unchanged = removed + updated === 0 ? 1 : 0;
    return { ok: true, version: changed.version, registered: 0, updated, unchanged, removed, effects: [] };
  }

  #summarizeChange(
    version: number,
    effects: readonly { id: string; effect: Effect }[],
  ): Outcome<ChangeSummary> {
    const count = (wanted: Effect) => effects.filter(({ effect }) => effect === wanted).length;
    return {
      ok: true,
      version,
      registered: count('registered'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      removed: 0,
      effects: effects.map(({ id, effect }) => ({
        id,
        modelName: this.#parts.tools.modelNameOf(id),
        effect,
      })),
    };
  }

  #find(idOrName: string): StoredTool | undefined {
    const tool = this.#parts.tools.find(idOrName);
    return tool !== undefined && this.#sight.sees(tool.namespace) ? tool : undefined;
  }

  #reading(binding: CursorBinding): PageReading {
    return { cursors: this.#parts.cursors, version: this.version, binding };
  }

  #namespaceCounts(): readonly NamespaceCount[] {
    return [...this.#parts.tools.namespaces]
      .filter(([name]) => this.#sight.sees(name))
      .map(([name, tools]) => ({ name, tools }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #describeHits(hits: readonly SearcherHit[]): readonly FoundTool[] {
    return hits.flatMap(({ id, score, matchedOn, confidence }) => {
      const tool = this.#find(id);
      // Removed since the search.
      if (tool === undefined) return [];
      const judged = confidence !== undefined && { confidence };
      return [
        { ...summarizeTool(tool, this.#parts), relevanceScore: score, matchedOn: [...matchedOn], ...judged },
      ];
    });
  }

  async #callsOf(id: string): Promise<number> {
    const { firstDay, lastDay } = lastSevenDays(this.#parts.wallClock());
    return (await this.#parts.scope.store.callsBetween(firstDay, lastDay)).get(id) ?? 0;
  }
}

/** Computes the statistics of the tools in sight. */
export function readStats({ scope, searches, indexBytes }: RegistryParts, sight: Sight): RegistryStats {
  const digests: string[] = [];
  let [tools, backends] = [0, 0];
  const namespaces = new Set<string>();
  for (const tool of scope.tools.inOrder()) {
    if (!sight.sees(tool.namespace)) continue;
    tools++;
    backends += tool.backends.length;
    namespaces.add(tool.namespace);
    digests.push(tool.searchHash);
  }
  return {
    version: scope.version,
    epoch: scope.store.epoch.id,
    tools,
    backends,
    namespaces: namespaces.size,
    indexHash: hash('sha256', digests.join('\n')).slice(0, 32),
    ...(sight.key === '' && { indexBytes: indexBytes(), resultCache: searches.cacheState }),
  };
}
