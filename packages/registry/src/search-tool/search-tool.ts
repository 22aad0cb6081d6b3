import { hash } from 'node:crypto';
import { type Category, estimateTokens, readableJson, systemText } from '@winnow/core';
import { MOST_NEXT, splitPage } from '@winnow/ranking';
import type { ScopeTools } from '../content/scope-tools.ts';
import type { Sight } from '../content/tool-filter.ts';
import { categoriesOf } from '../content/tool-filter.ts';
import type { JsonObject } from '../model/json.ts';
import { definitionOf, type StoredTool } from '../model/tool.ts';
import type { Outcome } from '../problem.ts';
import type { FoundTool, SearchOptions, SearchPage } from '../search/search-options.ts';
import type { ScopeStore } from '../stores/store.ts';
import { dayOf, lastWholeWeek } from '../stores/store.ts';
import {
  readSearchArguments,
  type SearchToolFormat,
  searchToolDefinition,
  spellingOf,
  writeDefinition,
} from './search-tool-definition.ts';

/** Tools that a model sees from the start: these, or the most called ones. */
export type AlwaysLoaded = readonly string[] | { readonly mostCalled: number };

/** The texts and tools that an application gives its model for searching. */
export interface SearchToolDescription {
  /** The definition of the search tool. */
  readonly definition: JsonObject;
  /** For the system prompt. */
  readonly systemText: string;
  /** Definitions of the tools that the model sees from the start. */
  readonly alwaysLoaded: readonly { readonly toolName: string; readonly definition: JsonObject }[];
  readonly version: number;
}

/** The result of a search-tool call. */
export interface SearchToolResult {
  readonly tools: readonly FoundTool[];
  /** Model names of further matches, best first; a search for one's exact name gives its definition. */
  readonly next: readonly string[];
  /** Definitions of the found tools that the model does not have yet, in order; none of weak matches. */
  readonly definitions: readonly JsonObject[];
  /** The queries, one on each line. */
  readonly query: string;
  /** Parameters with unusable or unknown values, which were ignored. */
  readonly ignored: readonly string[];
  readonly page: SearchPage;
}

/** Options for resolving a search-tool call. */
export interface AnswerOptions {
  readonly format: SearchToolFormat;
  /** Model names of tools whose definitions the model has. */
  readonly known?: readonly string[];
  readonly signal?: AbortSignal;
}

/** The search tool of one registry, for applications that run their own loop. */
export interface SearchTool {
  /** Describes the search tool. Stays the same until the day ends or the set of categories changes, so prompts stay cached. */
  describe(format: SearchToolFormat): Promise<SearchToolDescription>;
  /** Resolves a call with the arguments as the model wrote them. */
  answer(written: unknown, options: AnswerOptions): Promise<Outcome<SearchToolResult>>;
  /** Returns the sorted model names of the tools that a model sees from the start. They stay the same until the day ends. */
  alwaysLoaded(): Promise<readonly string[]>;
  /** Returns the definition of a tool for a model; undefined when there is no such tool. */
  define(idOrName: string, format: SearchToolFormat): JsonObject | undefined;
}

interface SearchToolParts {
  readonly tools: ScopeTools;
  readonly sight: Sight;
  readonly store: ScopeStore;
  readonly version: () => number;
  readonly search: (
    query: readonly string[],
    options: SearchOptions,
    signal?: AbortSignal,
  ) => Promise<Outcome<SearchPage>>;
  readonly alwaysLoaded: AlwaysLoaded;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
}

/** Most tokens of definition and system text together, as `estimateTokens` counts. */
const MAX_TOKENS = 900;
/** Most categories in the definition, and the tokens that must remain for the system text. */
const MAX_OFFERED = 50;
const LEAST_TEXT_TOKENS = 320;

/** The stored categories of one day. */
interface CategoryNote {
  readonly day: string;
  readonly key: string;
  readonly categories: readonly Category[];
}

/** The search tool over the tools in sight. */
export class RegistrySearchTool implements SearchTool {
  readonly #parts: SearchToolParts;

  constructor(parts: SearchToolParts) {
    this.#parts = parts;
  }

  async describe(format: SearchToolFormat): Promise<SearchToolDescription> {
    const categories = await this.#categories();
    const definition = this.#definition(format, categories);
    const spent = estimateTokens(JSON.stringify(definition));
    return {
      definition,
      systemText: systemText(categories, MAX_TOKENS - spent, spellingOf(format)),
      alwaysLoaded: (await this.#alwaysLoaded()).map((tool) => ({
        toolName: this.#parts.tools.modelNameOf(tool.id),
        definition: this.#write(tool, format),
      })),
      version: this.#parts.version(),
    };
  }

  async answer(
    written: unknown,
    { format, known = [], signal }: AnswerOptions,
  ): Promise<Outcome<SearchToolResult>> {
    const read = readSearchArguments(written);
    if (!read.ok) return read;
    const { queries, searchType, maxResults, categoryFilter } = read.arguments;
    const category = categoryFilter === undefined ? undefined : this.#findCategory(categoryFilter);
    const isUnknown = categoryFilter !== undefined && category === undefined;
    const found = await this.#parts.search(
      queries,
      {
        searchType,
        pageSize: maxResults + MOST_NEXT,
        limit: maxResults + MOST_NEXT,
        ...(category !== undefined && { filter: { category } }),
      },
      signal,
    );
    if (!found.ok) return found;
    const { page, next } = splitPage(found, maxResults);
    const has = new Set(known);
    const isLoaded = page.certainty === 'found';
    const unknown = isLoaded ? page.tools.filter(({ modelName }) => !has.has(modelName)) : [];
    return {
      ok: true,
      tools: page.tools,
      next: next.map(({ modelName }) => modelName),
      definitions: unknown.map(({ id }) => this.define(id, format)).filter((one) => one !== undefined),
      query: queries.join('\n'),
      ignored: [...read.arguments.ignored, ...(isUnknown ? ['category_filter'] : [])],
      page,
    };
  }

  async alwaysLoaded(): Promise<readonly string[]> {
    return (await this.#alwaysLoaded()).map(({ id }) => this.#parts.tools.modelNameOf(id));
  }

  define(idOrName: string, format: SearchToolFormat): JsonObject | undefined {
    const tool = this.#parts.tools.find(idOrName);
    return tool && this.#parts.sight.sees(tool.namespace) ? this.#write(tool, format) : undefined;
  }

  #write(tool: StoredTool, format: SearchToolFormat): JsonObject {
    const name = this.#parts.tools.modelNameOf(tool.id);
    // Some providers reject a tool without a description.
    const description = tool.description || tool.title || tool.name;
    const { inputSchema: parameters } = definitionOf(tool);
    return writeDefinition({ name, ...readableJson({ description, parameters }) }, format);
  }

  #definition(format: SearchToolFormat, categories: readonly Category[]): JsonObject {
    const names = categories.map(({ name }) => name).sort();
    const offered = searchToolDefinition(format, names);
    const room = MAX_TOKENS - estimateTokens(JSON.stringify(offered));
    const isOffered = names.length <= MAX_OFFERED && room >= LEAST_TEXT_TOKENS;
    return isOffered ? offered : searchToolDefinition(format, undefined);
  }

  /** Finds the category that a model named, ignoring case. */
  #findCategory(written: string): string | undefined {
    const wanted = written.toLowerCase();
    for (const tool of this.#visible()) {
      for (const category of categoriesOf(tool)) if (category === wanted) return category;
    }
    return undefined;
  }

  *#visible(): Generator<StoredTool> {
    const { tools, sight } = this.#parts;
    for (const tool of tools.inOrder()) if (sight.sees(tool.namespace)) yield tool;
  }

  /** Returns the categories as of the start of the day, or of the last change of their set. */
  async #categories(): Promise<readonly Category[]> {
    const { store, sight, wallClock } = this.#parts;
    const current = findCategories(this.#visible());
    const note: CategoryNote = { day: dayOf(wallClock()), key: categorySetKey(current), categories: current };
    const name = `categories ${sight.key}`;
    const written = await store.readNote(name);
    const kept = written === undefined ? undefined : (JSON.parse(written) as CategoryNote);
    if (kept !== undefined && kept.day === note.day && kept.key === note.key) return kept.categories;
    await store.writeNote(name, JSON.stringify(note));
    return current;
  }

  async #alwaysLoaded(): Promise<readonly StoredTool[]> {
    const { alwaysLoaded, tools, sight } = this.#parts;
    const names = Array.isArray(alwaysLoaded)
      ? (alwaysLoaded as readonly string[])
      : await this.#mostCalled((alwaysLoaded as { mostCalled: number }).mostCalled);
    const found = names.map((name) => tools.find(name)).filter((tool) => tool !== undefined);
    const visible = new Set(found.filter((tool) => sight.sees(tool.namespace)));
    return [...visible].sort((a, b) => (tools.modelNameOf(a.id) < tools.modelNameOf(b.id) ? -1 : 1));
  }

  /** Returns the most called tools, counted over whole days, so that the choice lasts a day. */
  async #mostCalled(count: number): Promise<readonly string[]> {
    const { store, tools, sight, wallClock } = this.#parts;
    const { firstDay, lastDay } = lastWholeWeek(wallClock());
    const calls = [...(await store.callsBetween(firstDay, lastDay))].filter(([id]) => {
      const tool = tools.get(id);
      return tool !== undefined && sight.sees(tool.namespace);
    });
    calls.sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
    return calls.slice(0, count).map(([id]) => id);
  }
}

/** Returns a digest of a description, for its ETag. */
export function descriptionHash(description: SearchToolDescription): string {
  const { version: _, ...rest } = description;
  return hash('sha256', JSON.stringify(rest)).slice(0, 32);
}

/** Number of tool names in a category's line, and its maximum length. */
const NAMED_TOOLS = 3;
const MAX_LINE_CHARS = 80;

/** Finds the categories of tools, given in order of id: the largest first, then by name. */
function findCategories(tools: Iterable<StoredTool>): readonly Category[] {
  const found = new Map<string, { count: number; names: string[] }>();
  for (const tool of tools) {
    for (const name of categoriesOf(tool)) {
      const category = found.get(name) ?? { count: 0, names: [] };
      category.count++;
      if (category.names.length < NAMED_TOOLS) category.names.push(words(tool, name));
      found.set(name, category);
    }
  }
  return [...found]
    .sort(([a, { count }], [b, { count: other }]) => other - count || (a < b ? -1 : 1))
    .map(([name, { names }]) => ({ name, line: cut(names) }));
}

/** Returns a key of a set of categories, regardless of their sizes and lines. */
function categorySetKey(categories: readonly Category[]): string {
  const names = categories.map(({ name }) => name).sort();
  return hash('sha256', JSON.stringify(names)).slice(0, 16);
}

/** Returns a tool's name as words, without its category at the start. */
function words({ name }: StoredTool, category: string): string {
  const text = name.replace(/[_.-]+/g, ' ').trim();
  const prefix = `${category.replace(/[_.-]+/g, ' ')} `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** Joins as many whole names as fit. */
function cut(names: readonly string[]): string {
  let line = '';
  for (const name of names) {
    const longer = line === '' ? name : `${line}, ${name}`;
    if (longer.length > MAX_LINE_CHARS) break;
    line = longer;
  }
  return line;
}
