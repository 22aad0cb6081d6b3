import type { Tool } from '@winnow/contract';
import { type GeneratedTool, generateQueries, generateTools, toSearchTool } from '@winnow/testkit';

/** A generated catalogue, ready to be sent. */
export interface BenchCatalogue {
  readonly tools: readonly GeneratedTool[];
  /** Different for every catalogue. */
  readonly id: string;
  /** The `tools` of a request as JSON text, in OpenAI's shape. */
  readonly toolsJson: string;
  /** Short needs about its tools. */
  readonly queries: readonly string[];
}

/** From one changed tool to the next: not neighbours. */
const STRIDE = 37;
/** Queries per catalogue; they are asked in turn. */
const QUERIES = 50;

/** Makes catalogues, no two alike: each one has the next seed. */
export class CatalogueSource {
  #seed: number;

  constructor(firstSeed: number) {
    this.#seed = firstSeed;
  }

  /** A catalogue that nobody has seen before. */
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

/** The body of a search that carries the tools. */
export function inlineBody(catalogue: BenchCatalogue, turn: number): string {
  return withTools(catalogue, { pattern: queryOf(catalogue, turn), top_k: 5 });
}

/** The same with one tool changed: another one, and to another text, in each turn. */
export function changedBody(catalogue: BenchCatalogue, turn: number): string {
  const position = (turn * STRIDE) % catalogue.tools.length;
  const tools = searchTools(catalogue.tools).map((tool, at) =>
    at === position ? { ...tool, description: `${tool.description} Changed in turn ${turn}.` } : tool,
  );
  return withTools({ toolsJson: JSON.stringify(tools) }, { pattern: queryOf(catalogue, turn), top_k: 5 });
}

/** The body of a search that carries the tools and has them remembered under the catalogue's id. */
export function bindingBody(catalogue: BenchCatalogue): string {
  return withTools(catalogue, { pattern: queryOf(catalogue, 0), top_k: 5, catalog_id: catalogue.id });
}

/** The body of a search that names a catalogue bound before. */
export function catalogIdBody(catalogue: BenchCatalogue, turn: number): string {
  return JSON.stringify({ pattern: queryOf(catalogue, turn), top_k: 5, catalog_id: catalogue.id });
}

/** The query of that turn; they come round. */
export function queryOf({ queries }: BenchCatalogue, turn: number): string {
  return queries[turn % queries.length] ?? '';
}

/** Puts the text of the tools behind the other members, without writing it anew. */
function withTools({ toolsJson }: Pick<BenchCatalogue, 'toolsJson'>, members: object): string {
  return `${JSON.stringify(members).slice(0, -1)},"tools":${toolsJson}}`;
}

function searchTools(tools: readonly GeneratedTool[]): Tool[] {
  return tools.map((tool) => toSearchTool(tool, 'openai'));
}
