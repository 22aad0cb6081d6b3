import { describeSearchTool } from '@winnow/text';
import type { HostedQuery } from '../../format/polyfilled.ts';
import type { SearchCall, ToolEntry } from '../../format/view.ts';
import { isJsonObject, type JsonObject } from '../../json/json-splice.ts';

/**
 * A search tool that the vendor runs itself.
 *
 * Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool, the limits of a query included; `limit` is an argument that the
 * vendor's models write.
 */
export interface HostedTool {
  /** What it is called in requests and responses. */
  readonly name: string;
  readonly kind: HostedQuery['kind'];
  /** The argument that says what to look for. */
  readonly argument: string;
  readonly mostChars: number;
  /** How the model is told to search with a function in its place. */
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

/** Tools that a search finds where it does not say. */
const USUAL_LIMIT = 5;
/** Most that it may ask for. */
const MOST_LIMIT = 50;

/** The hosted search that an entry of a request's tools stands for; undefined for any other entry. */
export function hostedToolOf({ definition }: ToolEntry): HostedTool | undefined {
  const type = isJsonObject(definition) ? definition.type : undefined;
  if (typeof type !== 'string') return undefined;
  // A date follows, of which there may be more one day.
  return HOSTED_TOOLS.find(({ name }) => type === name || type.startsWith(`${name}_`));
}

/** Whether a block is a call of a hosted search, or of one that the request no longer declares. */
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

/** The function in place of a hosted search, as JSON. */
export function writeFunction(
  { name, argument, asking }: HostedTool,
  deferredNames: readonly string[],
): string {
  const { description } = describeSearchTool(name, deferredNames, { asking });
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

/** A call of a hosted search. */
export function readCall({ id, name, input }: JsonObject): SearchCall {
  const tool = HOSTED_TOOLS.find((one) => one.name === name)!;
  const given = isJsonObject(input) ? input : {};
  const text = given[tool.argument];
  return { id: String(id), name: tool.name, query: typeof text === 'string' ? text : '', input: given };
}

/** What a call of a hosted search asks for. */
export function queryOf({ name, query, input }: SearchCall): HostedQuery {
  const { kind, mostChars } = HOSTED_TOOLS.find((one) => one.name === name)!;
  const limit = input?.limit;
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit > 0;
  return { kind, text: query, mostChars, limit: isLimit ? Math.min(limit, MOST_LIMIT) : USUAL_LIMIT };
}
