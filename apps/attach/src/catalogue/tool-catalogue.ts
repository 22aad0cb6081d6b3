import { findTools, LiveCatalogue, type LiveSnapshot, type Pause, toDocument } from '@winnow/ranking';
import type { OfferedTool } from '../letta/read-answers.ts';
import { classOf, type KnownTool, serverOf, type ToolClass } from '../plan/known-tool.ts';
import { matchScore, WHOLE_SCORE } from '../plan/match-score.ts';

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
  /** The MCP server that it comes from. */
  readonly server: string | undefined;
}

/** A tool that a query has found. */
export interface ScoredTool {
  readonly tool: CatalogueTool;
  /** 0 to 100, comparable between queries. */
  readonly score: number;
}

/** What a query finds. */
export interface Search {
  /** Best first. */
  readonly found: readonly ScoredTool[];
  /** By key, how well tools fit that were asked about: higher is better, and missing when they do not fit at all. */
  readonly relevance: ReadonlyMap<string, number>;
}

/** What is searched, and what of it. */
export interface SearchOptions {
  readonly limit: number;
  /** Keys of tools whose relevance is wanted. */
  readonly alsoKeys?: readonly string[];
  /** Whether Letta's own tools are left out. */
  readonly excludesCore: boolean;
}

/** A tool with the text that tells one content from another. */
interface Entry {
  readonly tool: CatalogueTool;
  readonly content: string;
}

/** What is looked up in one state of the index. */
interface View {
  readonly snapshot: LiveSnapshot;
  readonly positions: ReadonlyMap<string, number>;
  readonly core: Uint8Array;
}

/**
 * The tools of a Letta server, searchable: those that it has, and those that its MCP servers offer and that it has not registered.
 *
 * Letta knows each name once, and registering a tool replaces what has its name, for every agent. So what an MCP server offers under a name that is taken is not in
 * the catalogue. Two servers may offer the same name: both are, by their keys, until one of them is registered.
 */
export class ToolCatalogue {
  readonly #live = new LiveCatalogue();
  readonly #entries = new Map<string, Entry>();
  #view: View | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): CatalogueTool | undefined {
    return this.#entries.get(key)?.tool;
  }

  /** All tools, by key. */
  all(): readonly CatalogueTool[] {
    return [...this.#entries.values()].map(({ tool }) => tool);
  }

  /** Takes over all tools. Costs what differs. */
  replace(known: readonly KnownTool[], offered: readonly OfferedTool[]): void {
    const taken = new Set(known.map(({ name }) => name));
    const free = offered.filter(({ name }) => !taken.has(name));
    const keys = new Set([...known.map(({ id }) => id), ...free.map(keyOf)]);
    this.forget([...this.#entries.keys()].filter((key) => !keys.has(key)));
    this.learn(known);
    for (const tool of free) this.#put(ofOffered(tool), tool.inputSchema);
  }

  /** Takes over some tools, such as those of an agent. */
  learn(known: readonly KnownTool[]): void {
    for (const tool of known) this.#put(ofKnown(tool), tool.schema);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry === undefined) continue;
      this.#entries.delete(key);
      this.#live.apply([{ key: sortKeyOf(entry.tool), document: undefined }]);
      this.#view = undefined;
    }
  }

  async search(query: string, options: SearchOptions, pause: Pause): Promise<Search> {
    const { limit, alsoKeys = [], excludesCore } = options;
    const { snapshot, positions, core } = this.#current();
    const { catalogue, keyAt } = snapshot;
    const alsoPositions = alsoKeys.flatMap((key) => positions.get(key) ?? []);
    const { hits } = await findTools(
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
    const entries = hits.flatMap((hit, place) => {
      const entry = this.#entries.get(keyIn(keyAt(hit.position)));
      return entry ? [{ hit, place, tool: entry.tool }] : [];
    });
    const first = entries.filter(({ place }) => place < limit);
    const coverage = catalogue.index.cover!(
      query,
      first.map(({ hit }) => hit.position),
    );
    return {
      found: first.map(({ hit, tool }) => ({
        tool,
        score: hit.matchedOn.includes('exact_name')
          ? WHOLE_SCORE
          : matchScore(coverage.get(hit.position) ?? 0),
      })),
      relevance: new Map(entries.map(({ tool, place }) => [tool.key, hits.length - place])),
    };
  }

  #put(tool: CatalogueTool, schema: KnownTool['schema']): void {
    const content = JSON.stringify([tool, schema]);
    if (this.#entries.get(tool.key)?.content === content) return;
    this.forget([tool.key]);
    this.#entries.set(tool.key, { tool, content });
    const { name, description } = tool;
    const document = toDocument({ name, description, definition: schema });
    this.#live.apply([{ key: sortKeyOf(tool), document }]);
    this.#view = undefined;
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

/** Tools that fit equally well are in the order of their names: registering one, which gives it another key, changes nothing. */
function sortKeyOf({ name, key }: CatalogueTool): string {
  return `${name.replaceAll('\n', ' ')}\n${key}`;
}

function keyIn(sortKey: string): string {
  return sortKey.slice(sortKey.indexOf('\n') + 1);
}

function keyOf({ server, name }: Pick<OfferedTool, 'server' | 'name'>): string {
  return `mcp:${server}/${name}`;
}
