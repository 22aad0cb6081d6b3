import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS, type SearchType, type Tool } from '@winnow/core';
import { buildCatalogue, type Catalogue, readTool, type Selection, selectTools } from '@winnow/ranking';

export type { PatternSelection, SelectedTool, Selection } from '@winnow/ranking';

export interface ToolSearchOptions {
  /** Maximum number of names to select; default 10. */
  readonly topK?: number;
  /**
   * Interpretation of the query. The default, `auto`, recognizes exact names, globs and regular expressions, and
   * reads anything else as keywords.
   */
  readonly searchType?: SearchType;
  /** Names to select even if they do not match, provided that they are in the index. */
  readonly alwaysKeep?: readonly string[];
}

/**
 * A search index over tools that runs in this process and needs no service.
 *
 * ```ts
 * const index = new ToolIndex(tools);
 * const { names } = await index.search('open a pull request', { topK: 3 });
 * ```
 */
export class ToolIndex {
  readonly #catalogue: Catalogue;

  /**
   * Indexes the tools synchronously, in tens of microseconds per tool. A tool is an object in the shape that
   * OpenAI, Anthropic, Gemini, Bedrock or MCP define.
   *
   * @throws TypeError for the first tool that cannot be read; the message gives its place and the reason.
   */
  constructor(tools: readonly unknown[]) {
    this.#catalogue = buildCatalogue(tools.map(toTool));
  }

  /** The number of tools. */
  get size(): number {
    return this.#catalogue.size;
  }

  /**
   * Returns the tools that best fit a query, or several queries for several needs or wordings, most relevant first;
   * with several, `byPattern` has the result of each. Deterministic. Long searches yield to the event loop from time
   * to time.
   *
   * @throws RangeError if `topK` is not a whole number from 1 to 1,000, or for more than 16 queries.
   */
  async search(query: string | readonly string[], options: ToolSearchOptions = {}): Promise<Selection> {
    const { topK = 10, searchType = 'auto', alwaysKeep = [] } = options;
    if (!Number.isInteger(topK) || topK < 1 || topK > LIMITS.topK) {
      throw new RangeError(`topK must be a whole number of 1 to ${LIMITS.topK}; this is ${topK}`);
    }
    if (typeof query !== 'string' && query.length > LIMITS.patterns) {
      throw new RangeError(`at most ${LIMITS.patterns} queries; these are ${query.length}`);
    }
    return selectTools(this.#catalogue, { pattern: query, searchType, topK, alwaysKeep }, () => nextTurn());
  }
}

function toTool(value: unknown, index: number): Tool {
  const reading = readTool(value);
  if (reading.ok) return reading.tool;
  throw new TypeError(`tools[${index}]${reading.path === '' ? '' : `.${reading.path}`}: ${reading.message}`);
}
