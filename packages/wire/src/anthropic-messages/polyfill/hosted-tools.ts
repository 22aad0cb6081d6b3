import { describeSearchTool } from '@winnow/core';
import type { HostedQuery } from '../../format/polyfilled.ts';
import type { SearchCall, ToolEntry } from '../../format/view.ts';
import { isJsonObject, type JsonObject } from '../../json/json-splice.ts';

/**
 * A search tool that the vendor runs itself.
 *
 * Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool, which also gives the
 * limits of a query; `limit` is an argument that the vendor's models write.
 */
export interface HostedTool {
  /** The name in requests and responses. */
  readonly name: string;
  readonly kind: HostedQuery['kind'];
  /** The name of the argument that holds the query. */
  readonly argument: string;
  readonly mostChars: number;
  /** Instructions that tell the model how to search with the function that replaces the tool. */
  readonly asking: string;
}

const HOSTED_TOOLS: readonly HostedTool[] = [
  {
    name: 'tool_search_tool_regex',
    kind: 'regex',
    argument: 'pattern',
    mostChars: 200,
    asking:
      'Search with a regular expression in the syntax of Python, such as "create_.*issue|new_issue". It is looked for in names, descriptions, and names and descriptions of arguments, and case counts for nothing.',
  },
  {
    name: 'tool_search_tool_bm25',
    kind: 'words',
    argument: 'query',
    mostChars: 500,
    asking:
      'Ask for one thing in each search: a few words with a verb and its object, such as "create an issue".',
  },
];

/** The number of tools that a search returns by default. */
const USUAL_LIMIT = 5;
/** The highest number of tools that a search may request. */
const MOST_LIMIT = 50;

/** Returns the hosted search that an entry of a request's tools declares; undefined for any other entry. */
export function hostedToolOf({ definition }: ToolEntry): HostedTool | undefined {
  const type = isJsonObject(definition) ? definition.type : undefined;
  if (typeof type !== 'string') return undefined;
  // A date follows the name; later dates may be added.
  return HOSTED_TOOLS.find(({ name }) => type === name || type.startsWith(`${name}_`));
}

/** Whether a block is a call of a hosted search, declared by the request or not. */
export function isHostedCall(block: unknown): block is JsonObject {
  return (
    isJsonObject(block) &&
    block.type === 'server_tool_use' &&
    typeof block.id === 'string' &&
    isHostedName(block.name)
  );
}

/** Whether a tool of this name is a hosted search. */
export function isHostedName(name: unknown): boolean {
  return HOSTED_TOOLS.some((tool) => tool.name === name);
}

/** Returns the function that replaces a hosted search, as JSON. */
export function writeFunction(
  { name, argument, asking }: HostedTool,
  deferredNames: readonly string[],
): string {
  const { description } = describeSearchTool(name, deferredNames, asking);
  return JSON.stringify({
    name,
    description,
    input_schema: {
      type: 'object',
      properties: {
        [argument]: { type: 'string', description: 'What to look for.' },
        limit: { type: 'integer', description: `The most tools to find, ${USUAL_LIMIT} unless said.` },
      },
      required: [argument],
    },
  });
}

/** Reads a call of a hosted search. */
export function readCall({ id, name, input }: JsonObject): SearchCall {
  const tool = HOSTED_TOOLS.find((one) => one.name === name)!;
  const given = isJsonObject(input) ? input : {};
  const text = given[tool.argument];
  return { id: String(id), name: tool.name, query: typeof text === 'string' ? text : '', input: given };
}

/** Returns the query of a call of a hosted search. */
export function queryOf({ name, query, input }: SearchCall): HostedQuery {
  const { kind, mostChars } = HOSTED_TOOLS.find((one) => one.name === name)!;
  const limit = input?.limit;
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit > 0;
  return { kind, text: query, mostChars, limit: isLimit ? Math.min(limit, MOST_LIMIT) : USUAL_LIMIT };
}
