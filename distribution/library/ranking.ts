import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS, type SearchType, type Tool } from '@winnow/contract';
import { bm25, buildCatalogue, type Catalogue, readTool, type Selection, selectTools } from '@winnow/ranking';

export type { SelectedTool, Selection } from '@winnow/ranking';

/** How a query is to be answered. */
export interface ToolSearchOptions {
  /** Most names to select; 10 when it is missing. */
  readonly topK?: number;
  /** How to read the query; `auto` when it is missing: exact names, a glob, a regular expression, else keywords. */
  readonly searchType?: SearchType;
  /** Names that must be selected if they are there. */
  readonly alwaysKeep?: readonly string[];
}

/**
 * Tools that can be searched, in this process and without any service.
 *
 * ```ts
 * const index = new ToolIndex(tools);
 * const { names } = await index.search('open a pull request', { topK: 3 });
 * ```
 */
export class ToolIndex {
  readonly #catalogue: Catalogue;

  /**
   * Takes tens of microseconds per tool, in one go. A tool is an object as OpenAI, Anthropic, Gemini, Bedrock or MCP define it.
   *
   * @throws TypeError for the first tool that cannot be read; the message says which and why.
   */
  constructor(tools: readonly unknown[]) {
    this.#catalogue = buildCatalogue(tools.map(toTool), bm25);
  }

  /** Number of tools. */
  get size(): number {
    return this.#catalogue.size;
  }

  /**
   * The tools that fit a query best, most relevant first. Deterministic. Lets other work of the process go first now and then.
   *
   * @throws RangeError for a `topK` that is no whole number of 1 to 100.
   */
  async search(query: string, options: ToolSearchOptions = {}): Promise<Selection> {
    const { topK = 10, searchType = 'auto', alwaysKeep = [] } = options;
    if (!Number.isInteger(topK) || topK < 1 || topK > LIMITS.topK) {
      throw new RangeError(`topK must be a whole number of 1 to ${LIMITS.topK}; this is ${topK}`);
    }
    return selectTools(this.#catalogue, { pattern: query, searchType, topK, alwaysKeep }, () => nextTurn());
  }
}

function toTool(value: unknown, index: number): Tool {
  const reading = readTool(value);
  if (reading.ok) return reading.tool;
  throw new TypeError(`tools[${index}]${reading.path === '' ? '' : `.${reading.path}`}: ${reading.message}`);
}
