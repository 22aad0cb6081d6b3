import { describeSearchTool, resultText } from '@winnow/core';
import type { HostedQuery } from '../../format/capabilities.ts';
import type { SearchCall, SearchResult, ToolEntry } from '../../format/view.ts';
import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import type { DeclaredTools } from '../../turns/kept-result.ts';

/** The type of a block that holds the result of a hosted search. */
export const RESULT_TYPE = 'tool_search_tool_result';

const SERVER_PREFIX = 'srvtoolu_';
const CLIENT_PREFIX = 'toolu_';

/** Returns the client's id for a call with this upstream id. */
export function serverId(id: string): string {
  return SERVER_PREFIX + id.replace(CLIENT_PREFIX, '').replaceAll(/[^\w-]/g, '');
}

/**
 * Returns the upstream's id for a call with this client id; an id that `serverId` made becomes the original
 * one again.
 */
function clientId(id: string): string {
  const bare = id.startsWith(SERVER_PREFIX) ? id.slice(SERVER_PREFIX.length) : id;
  return CLIENT_PREFIX + bare.replaceAll(/[^\w-]/g, '');
}

/**
 * Returns a call as the client sees it in a stream or body, as JSON: the vendor's block with the original
 * arguments. `input` is JSON.
 */
export function writeServerCall(id: string, name: string, input: string): string {
  const head = JSON.stringify({ type: 'server_tool_use', id, name });
  return `${head.slice(0, -1)},"input":${input},"caller":{"type":"direct"}}`;
}

/**
 * Returns a result as the client sees it, as JSON. A search without matches has an empty list; a failed
 * search has one of the vendor's error codes.
 */
export function writeServerResult(result: SearchResult): string {
  return JSON.stringify({ type: RESULT_TYPE, tool_use_id: result.callId, content: contentOf(result) });
}

function contentOf({ kind, tools, text = '' }: SearchResult): object {
  switch (kind) {
    case 'found':
    case 'weak':
    case 'no_match':
      return {
        type: 'tool_search_tool_search_result',
        tool_references: tools.map(({ name }) => ({ type: 'tool_reference', tool_name: name })),
      };
    case 'answered':
      return errorOf('invalid_tool_input', text);
    case 'restored':
      return errorOf('unavailable', 'The search is unavailable.');
    case 'limit':
      return errorOf('too_many_requests', 'There were too many searches.');
    default:
      return kind satisfies never;
  }
}

function errorOf(code: string, message: string): object {
  return { type: 'tool_search_tool_result_error', error_code: code, error_message: message };
}

/** Returns a call of a hosted search in a history as a function call, as JSON. */
export function writeCall({ id, name, input, cache_control: mark }: JsonObject): string {
  return JSON.stringify({
    ...{ type: 'tool_use', id: clientId(String(id)), name, input: isJsonObject(input) ? input : {} },
    ...(isJsonObject(mark) && { cache_control: mark }),
  });
}

/**
 * Returns the result of a hosted search in a history as a function result, as JSON. Without a block, the
 * search was never answered.
 */
export function writeResult(id: string, block: JsonObject | undefined, declared: DeclaredTools): string {
  const mark = block?.cache_control;
  return JSON.stringify({
    ...{ type: 'tool_result', tool_use_id: clientId(id) },
    ...saidTo(block, declared),
    ...(isJsonObject(mark) && { cache_control: mark }),
  });
}

function saidTo(
  block: JsonObject | undefined,
  declared: DeclaredTools,
): { content: string; is_error?: true } {
  const content = isJsonObject(block?.content) ? block.content : undefined;
  if (content === undefined) return { content: 'The search was not run.', is_error: true };
  if (content.type === 'tool_search_tool_result_error') {
    const { error_code: code, error_message: message } = content;
    return { content: String(message || code || 'The search failed.'), is_error: true };
  }
  const tools = namesIn(block).flatMap((name) => {
    const description = declared.get(name);
    return description === undefined ? [] : [{ name, description }];
  });
  return { content: resultText({ kind: tools.length > 0 ? 'found' : 'no_match', tools }) };
}

/** Returns the names of the tools that the result of a hosted search refers to. */
export function namesIn(block: unknown): string[] {
  const content = isJsonObject(block) && isJsonObject(block.content) ? block.content : {};
  const { tool_references: references } = content;
  return Array.isArray(references)
    ? references.filter(isJsonObject).map(({ tool_name: name }) => String(name))
    : [];
}

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
  return { id: String(id), name: tool.name, queries: typeof text === 'string' ? [text] : [], input: given };
}

/** Returns the query of a call of a hosted search. */
export function queryOf({ name, queries: [query = ''], input }: SearchCall): HostedQuery {
  const { kind, mostChars } = HOSTED_TOOLS.find((one) => one.name === name)!;
  const limit = input?.limit;
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit > 0;
  return { kind, text: query, mostChars, limit: isLimit ? Math.min(limit, MOST_LIMIT) : USUAL_LIMIT };
}
