import type { Tool } from '@winnow/core';
import { type GeneratedTool, generateQueries, generateTools, toSearchTool } from '@winnow/testkit';

/** A generated catalogue, ready to be sent. */
export interface BenchCatalogue {
  readonly tools: readonly GeneratedTool[];
  /** Different for every catalogue. */
  readonly id: string;
  /** The `tools` of a request as JSON text, in OpenAI's shape. */
  readonly toolsJson: string;
  /** Short queries about its tools. */
  readonly queries: readonly string[];
}

/** Distance from one changed tool to the next, so that they are not neighbours. */
const STRIDE = 37;
/** Number of queries per catalogue, used in turn. */
const QUERIES = 50;

/** Generates catalogues with different seeds. */
export class CatalogueSource {
  #seed: number;

  constructor(firstSeed: number) {
    this.#seed = firstSeed;
  }

  /** Returns a new catalogue. */
  next(size: number): BenchCatalogue {
    const seed = this.#seed;
    this.#seed += 1;
    const tools = generateTools({ count: size, seed });
    return {
      tools,
      id: `bench-${seed}`,
      toolsJson: JSON.stringify(searchTools(tools)),
      queries: generateQueries(tools, { count: QUERIES, seed }),
    };
  }
}

/** Returns the body of a search that carries the tools. */
export function inlineBody(catalogue: BenchCatalogue, turn: number): string {
  return withTools(catalogue, { pattern: queryOf(catalogue, turn), top_k: 5 });
}

/** Returns the same body with one tool changed; in each turn a different tool and text. */
export function changedBody(catalogue: BenchCatalogue, turn: number): string {
  const position = (turn * STRIDE) % catalogue.tools.length;
  const tools = searchTools(catalogue.tools).map((tool, at) =>
    at === position ? { ...tool, description: `${tool.description} Changed in turn ${turn}.` } : tool,
  );
  return withTools({ toolsJson: JSON.stringify(tools) }, { pattern: queryOf(catalogue, turn), top_k: 5 });
}

/** Returns the body of a search that carries the tools and stores them under the catalogue's id. */
export function bindingBody(catalogue: BenchCatalogue): string {
  return withTools(catalogue, { pattern: queryOf(catalogue, 0), top_k: 5, catalog_id: catalogue.id });
}

/** Returns the body of a search that names a stored catalogue. */
export function catalogIdBody(catalogue: BenchCatalogue, turn: number): string {
  return JSON.stringify({ pattern: queryOf(catalogue, turn), top_k: 5, catalog_id: catalogue.id });
}

/** Returns the body of such a search with four patterns. */
export function fourPatternsBody(catalogue: BenchCatalogue, turn: number): string {
  const patterns = Array.from({ length: 4 }, (_, at) => queryOf(catalogue, turn + 10 * at));
  return JSON.stringify({ pattern: patterns.join('. '), patterns, top_k: 12, catalog_id: catalogue.id });
}

/** Returns the query of a turn; queries repeat after the last. */
export function queryOf({ queries }: BenchCatalogue, turn: number): string {
  return queries[turn % queries.length] ?? '';
}

/** Appends the text of the tools to the other members without serializing it again. */
function withTools({ toolsJson }: Pick<BenchCatalogue, 'toolsJson'>, members: object): string {
  return `${JSON.stringify(members).slice(0, -1)},"tools":${toolsJson}}`;
}

function searchTools(tools: readonly GeneratedTool[]): Tool[] {
  return tools.map((tool) => toSearchTool(tool, 'openai'));
}
