import {
  type Certainty,
  findTools,
  LiveCatalogue,
  type LiveSnapshot,
  type Pause,
  toDocument,
} from '@winnow/ranking';
import type { OfferedTool } from '../letta/read-answers.ts';
import { classOf, type KnownTool, serverOf, type ToolClass } from '../plan/known-tool.ts';

/** The score of a tool that the query names. */
export const WHOLE_SCORE = 100;

/**
 * The exponent of the curve: at a score of 35, the least by default, 95 of 100 tools still pass that are right and among the first ten found for queries of up to
 * twelve words. Fitted on public sets by `npm run bench:attach`; docs/reference/attach.md has the curve and the figures.
 */
const SCORE_EXPONENT = 0.36;

/**
 * The `match_score` of a tool, from 0 to 100 with one decimal: 100 · coverage ^ 0.36.
 *
 * @param coverage how much of the best-fitting sentence of the query the tool covers, from 0 to 1, as `RankerIndex.cover` gives it: comparable between queries.
 */
export function matchScore(coverage: number): number {
  return Math.round(WHOLE_SCORE * 10 * coverage ** SCORE_EXPONENT) / 10;
}

/** A tool that can be found. */
export interface CatalogueTool {
  /** The id of a registered tool; for others, `mcp:SERVER/NAME`. */
  readonly key: string;
  readonly id: string | undefined;
  readonly name: string;
  readonly description: string;
  readonly toolType: string;
  readonly tags: readonly string[];
  readonly toolClass: ToolClass;
  /** The MCP server that provides it. */
  readonly server: string | undefined;
}

/** A tool found by a query. */
export interface ScoredTool {
  readonly tool: CatalogueTool;
  /** 0 to 100, comparable between queries. */
  readonly score: number;
}

/** The result of a search. */
export interface Search {
  /** Best first. */
  readonly found: readonly ScoredTool[];
  /** Whether a tool for the query is probably among them. */
  readonly certainty: Certainty;
  /** Unless `found`: words of the query that no tool contains, at most 8. */
  readonly unknownWords: readonly string[];
  /** The relevance of the requested tools by key; higher is better, missing without any match. */
  readonly relevance: ReadonlyMap<string, number>;
}

export interface SearchOptions {
  readonly limit: number;
  /** The keys of tools whose relevance is requested. */
  readonly alsoKeys?: readonly string[];
  /** Whether Letta's own tools are left out. */
  readonly excludesCore: boolean;
}

/** A tool, its source, and a text that identifies its content. */
interface Entry {
  readonly tool: CatalogueTool;
  readonly source: KnownTool | OfferedTool;
  readonly content: string;
}

/** Lookups for one state of the index. */
interface View {
  readonly snapshot: LiveSnapshot;
  readonly positions: ReadonlyMap<string, number>;
  readonly core: Uint8Array;
}

/**
 * The tools of a Letta server, searchable: its own tools, and those that one of its MCP servers offers for
 * registration.
 *
 * In Letta, names are unique, and registering a tool replaces the tool of that name for every agent. So the
 * catalogue leaves out offered tools whose names are taken. If two servers offer the same name, it has both,
 * under their keys, until one of them is registered.
 */
export class ToolCatalogue {
  readonly #live = new LiveCatalogue();
  readonly #entries = new Map<string, Entry>();
  /** The keys of unregistered tools, by name. */
  readonly #unregistered = new Map<string, Set<string>>();
  #view: View | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): CatalogueTool | undefined {
    return this.#entries.get(key)?.tool;
  }

  /** Whether searches find this offered tool, and not another one with its key. */
  holds(tool: OfferedTool): boolean {
    return this.#entries.get(keyOf(tool))?.source === tool;
  }

  /** Returns all tools. */
  all(): readonly CatalogueTool[] {
    return [...this.#entries.values()].map(({ tool }) => tool);
  }

  /** Replaces all tools of Letta. The cost depends on the differences only. */
  replace(known: readonly KnownTool[]): void {
    const ids = new Set(known.map(({ id }) => id));
    const gone = this.all().filter(({ id }) => id !== undefined && !ids.has(id));
    this.forget(gone.map(({ key }) => key));
    this.learn(known);
  }

  /** Adds some tools of Letta, such as those of an agent. Offered tools with their names are removed. */
  learn(known: readonly KnownTool[]): void {
    for (const tool of known) {
      this.#put(ofKnown(tool), tool, tool.schema);
      this.forget([...(this.#unregistered.get(tool.name) ?? [])]);
    }
  }

  /** Replaces all tools that may be registered. If a server offers a name twice, the first one counts. */
  offer(offered: readonly OfferedTool[]): void {
    const taken = new Set(this.all().flatMap(({ id, name }) => (id === undefined ? [] : [name])));
    const free = new Map<string, OfferedTool>();
    for (const tool of offered) {
      const key = keyOf(tool);
      if (!namesOf(tool).some((name) => taken.has(name)) && !free.has(key)) free.set(key, tool);
    }
    const gone = [...this.#unregistered.values()].flatMap((keys) =>
      [...keys].filter((key) => !free.has(key)),
    );
    this.forget(gone);
    for (const tool of free.values()) this.#put(ofOffered(tool), tool, tool.inputSchema);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry === undefined) continue;
      this.#entries.delete(key);
      this.#unlist(entry.tool);
      this.#live.apply([{ key: sortKeyOf(entry.tool), document: undefined }]);
      this.#view = undefined;
    }
  }

  /** Indexes new tools ahead of the next search. */
  prepare(): void {
    this.#current();
  }

  async search(query: string, options: SearchOptions, pause: Pause): Promise<Search> {
    const { limit, alsoKeys = [], excludesCore } = options;
    const { snapshot, positions, core } = this.#current();
    const { catalogue, keyAt } = snapshot;
    const alsoPositions = alsoKeys.flatMap((key) => positions.get(key) ?? []);
    const { hits, certainty, unknownWords } = await findTools(
      catalogue,
      {
        pattern: query,
        searchType: 'keyword',
        limit,
        alsoPositions,
        ...(excludesCore && { excluded: core }),
      },
      pause,
    );
    const entries = hits.flatMap(({ position, matchedOn }, place) => {
      const tool = this.#entries.get(keyIn(keyAt(position)))?.tool;
      return tool ? [{ tool, place, position, isNamed: matchedOn.includes('exact_name') }] : [];
    });
    const first = entries.filter(({ place }) => place < limit).map(({ tool }) => tool);
    const coverage = catalogue.index.cover!(
      query,
      first.flatMap(({ key }) => positions.get(key) ?? []),
    );
    const named = new Set(entries.filter(({ isNamed }) => isNamed).map(({ tool }) => tool.key));
    const found = first.map((tool) => {
      const covered = coverage.get(positions.get(tool.key)!) ?? 0;
      return { tool, score: named.has(tool.key) ? WHOLE_SCORE : matchScore(covered) };
    });
    const ranked = [...new Set([...first, ...entries.map(({ tool }) => tool)])];
    return {
      ...{ found, certainty, unknownWords },
      relevance: new Map(ranked.map(({ key }, place) => [key, ranked.length - place])),
    };
  }

  #put(tool: CatalogueTool, source: Entry['source'], schema: KnownTool['schema']): void {
    const known = this.#entries.get(tool.key);
    if (known?.source === source) return;
    const content = JSON.stringify([tool, schema]);
    if (known?.content === content) {
      this.#entries.set(tool.key, { ...known, source });
      return;
    }
    this.forget([tool.key]);
    this.#entries.set(tool.key, { tool, source, content });
    if (tool.id === undefined) this.#list(tool);
    const { name, description } = tool;
    const document = toDocument({ name, description, definition: schema });
    this.#live.apply([{ key: sortKeyOf(tool), document }]);
    this.#view = undefined;
  }

  #list(tool: CatalogueTool): void {
    for (const name of namesOf(tool)) {
      const keys = this.#unregistered.get(name) ?? new Set();
      this.#unregistered.set(name, keys.add(tool.key));
    }
  }

  #unlist(tool: CatalogueTool): void {
    for (const name of namesOf(tool)) {
      const keys = this.#unregistered.get(name);
      if (keys?.delete(tool.key) && keys.size === 0) this.#unregistered.delete(name);
    }
  }

  #current(): View {
    this.#view ??= this.#look();
    return this.#view;
  }

  #look(): View {
    const snapshot = this.#live.snapshot();
    const positions = new Map<string, number>();
    for (let position = 0; position < snapshot.catalogue.positions; position++)
      positions.set(keyIn(snapshot.keyAt(position)), position);
    const isCore = (key: string) => this.#entries.get(keyIn(key))?.tool.toolClass === 'core';
    const core = snapshot.excluding((key) => !isCore(key));
    return { snapshot, positions, core };
  }
}

function ofKnown(tool: KnownTool): CatalogueTool {
  const { id, name, description, toolType, tags } = tool;
  return { key: id, id, name, description, toolType, tags, toolClass: classOf(tool), server: serverOf(tool) };
}

function ofOffered(tool: OfferedTool): CatalogueTool {
  const { server, name, description } = tool;
  return {
    key: keyOf(tool),
    id: undefined,
    name,
    description,
    toolType: 'external_mcp',
    tags: [`mcp:${server}`],
    toolClass: 'mcp',
    server,
  };
}

/** Returns the names that an offered tool may have once it is registered: its own, and with its server on Letta Cloud. */
function namesOf({ name, server }: Pick<CatalogueTool, 'name' | 'server'>): readonly string[] {
  return server === undefined ? [name] : [name, `mcp__${server}__${name}`];
}

/** Returns the key that orders equally good tools by name, so that registering one does not change the order. */
function sortKeyOf({ name, key }: CatalogueTool): string {
  return `${name.replaceAll('\n', ' ')}\n${key}`;
}

function keyIn(sortKey: string): string {
  return sortKey.slice(sortKey.indexOf('\n') + 1);
}

/** Returns the key of an offered tool; a slash in the server's name is escaped, so that no two tools have one key. */
export function keyOf({ server, name }: Pick<OfferedTool, 'server' | 'name'>): string {
  return `mcp:${server.replace(/[%/]/g, encodeURIComponent)}/${name}`;
}
