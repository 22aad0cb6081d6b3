import { createHmac, hash } from 'node:crypto';
import { intersectSights, type Sight } from './content/sight.ts';
import { compileFilter, filterKey, type ToolFilter } from './content/tool-filter.ts';
import {
  type DetailLevel,
  detailTool,
  summarizeTool,
  type ToolDetail,
  type ToolSummary,
} from './describe-tool.ts';
import { REGISTRY_LIMITS } from './limits.ts';
import { type Backend, plainBackend } from './model/backend.ts';
import { definitionOf, type StoredTool } from './model/tool.ts';
import { namespaceOf } from './model/tool-names.ts';
import { type CursorBinding, listPage, type PageReading } from './pages.ts';
import { type Outcome, refuse } from './problem.ts';
import type { Expansion, NamespaceCount, Page, PageRequest, Registry, RegistryStats } from './registry.ts';
import { RegistryChanges, type RegistryParts } from './registry-changes.ts';
import type { FoundTool, SearchOptions, SearchPage } from './search/search-options.ts';
import type { SearcherHit } from './search/searcher.ts';
import { RegistrySearchTool, type SearchTool } from './search-tool/search-tool.ts';
import { dayOf, lastSevenDays } from './stores/store.ts';

/** A signal that never aborts. */
const NO_SIGNAL = new AbortController().signal;

/** A registry limited to the sight of its holder. */
export class ViewedRegistry extends RegistryChanges implements Registry {
  readonly searchTool: SearchTool;

  constructor(parts: RegistryParts, sight: Sight) {
    super(parts, sight);
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
    return this.parts.scope.version;
  }

  get epoch(): string {
    return this.parts.scope.store.epoch.id;
  }

  get toolCount(): number {
    return this.parts.scope.tools.size;
  }

  get indexBytes(): number {
    return this.parts.indexBytes();
  }

  sees(namespace: string): boolean {
    return this.sight.sees(namespace);
  }

  within(sight: Sight): Registry {
    return new ViewedRegistry(this.parts, intersectSights(this.sight, sight));
  }

  idsOfServer(server: string): readonly string[] {
    const sees = (id: string) => this.sight.sees(namespaceOf(id));
    return [...this.parts.scope.tools.idsOfServer(server)].filter(sees).sort();
  }

  async readNote(name: string): Promise<string | undefined> {
    return this.parts.scope.store.readNote(name);
  }

  async writeNote(name: string, value: string): Promise<void> {
    await this.parts.scope.store.writeNote(name, value);
  }

  async get(idOrName: string, detail: DetailLevel = 'full'): Promise<ToolDetail | undefined> {
    const tool = this.#find(idOrName);
    if (tool === undefined) return undefined;
    const calls = detail === 'full' ? await this.#callsOf(tool.id) : 0;
    return detailTool(tool, detail, calls, this.parts);
  }

  async backends(idOrName: string): Promise<readonly Backend[] | undefined> {
    return this.#find(idOrName)?.backends.map(plainBackend);
  }

  async list(filter: ToolFilter = {}, page: PageRequest = {}): Promise<Outcome<Page<ToolSummary>>> {
    const allows = compileFilter(filter, this.sight);
    const { tools } = this.parts;
    const binding = { kind: 'tools', key: filterKey(filter, this.sight) } as const;
    return listPage(this.#reading(binding), page, {
      *after(id) {
        for (const tool of tools.after(id)) if (allows === undefined || allows(tool)) yield tool;
      },
      key: (tool) => tool.id,
      row: (tool) => summarizeTool(tool, this.parts),
    });
  }

  async namespaces(page: PageRequest = {}): Promise<Outcome<Page<NamespaceCount>>> {
    const rows = this.#namespaceCounts();
    const binding = { kind: 'namespaces', key: this.sight.key } as const;
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
    const found = await this.parts.searches.search(query, options, this.sight, signal);
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
        ...summarizeTool(tool, this.parts),
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
    await this.parts.scope.store.countCalls(dayOf(this.parts.wallClock()), calls);
  }

  catchUp(): Promise<void> {
    return this.parts.scope.catchUp();
  }

  sign(purpose: string, text: string): string {
    const { name, store } = this.parts.scope;
    const hmac = createHmac('sha256', Buffer.from(store.epoch.key, 'hex'));
    return hmac.update(JSON.stringify(['sign', purpose, name, text])).digest('base64url');
  }

  async stats(): Promise<RegistryStats> {
    return readStats(this.parts, this.sight);
  }

  close(): Promise<void> {
    return this.parts.close();
  }

  #find(idOrName: string): StoredTool | undefined {
    const tool = this.parts.tools.find(idOrName);
    return tool !== undefined && this.sight.sees(tool.namespace) ? tool : undefined;
  }

  #reading(binding: CursorBinding): PageReading {
    return { cursors: this.parts.cursors, version: this.version, binding };
  }

  #namespaceCounts(): readonly NamespaceCount[] {
    return [...this.parts.tools.namespaces]
      .filter(([name]) => this.sight.sees(name))
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
        { ...summarizeTool(tool, this.parts), relevanceScore: score, matchedOn: [...matchedOn], ...judged },
      ];
    });
  }

  async #callsOf(id: string): Promise<number> {
    const { firstDay, lastDay } = lastSevenDays(this.parts.wallClock());
    return (await this.parts.scope.store.callsBetween(firstDay, lastDay)).get(id) ?? 0;
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
