import type { ReceivedRequest } from '@winnow/testkit';

const SEARCH_TOOL = 'gateway_search_tools';

/** The model's view of one request. */
export interface UpstreamCall {
  /** Names of the tools whose definitions the model sees, including the search tool. */
  readonly visible: readonly string[];
  /** Deferred definitions: in the request but invisible to the model. */
  readonly deferred: number;
  /** Queries of all searches in the history, in order. */
  readonly queries: readonly string[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the model's view of the tools from a request. */
export function readUpstreamCall({ json }: ReceivedRequest): UpstreamCall {
  const body = json as {
    tools?: readonly JsonObject[];
    toolConfig?: { readonly tools: readonly JsonObject[] };
    messages?: unknown;
    input?: unknown;
    contents?: unknown;
  };
  const said = objectsIn(body.messages ?? body.input ?? body.contents);
  // Gemini nests functions in containers; Converse nests its list.
  const tools = (body.tools ?? body.toolConfig?.tools ?? []).flatMap(
    (tool) => (tool.functionDeclarations as JsonObject[] | undefined) ?? [tool],
  );
  const shown = tools.filter((tool) => tool.defer_loading !== true).map(nameOf);
  const referred = said
    .filter((object) => object.type === 'tool_reference')
    .map((object) => String(object.tool_name));
  // In Responses, search results carry definitions.
  const brought = said
    .filter((object) => object.type === 'tool_search_output')
    .flatMap((object) => (object.tools as JsonObject[]).map(nameOf));
  return {
    visible: [...new Set([...shown, ...referred, ...brought])],
    deferred: tools.length - shown.length - new Set(referred).size,
    queries: said.flatMap(queryOf),
  };
}

function nameOf(tool: JsonObject): string {
  const described = ((tool.function ?? tool.toolSpec) as JsonObject | undefined) ?? tool;
  return tool.type === 'tool_search' ? 'tool_search' : String(described.name);
}

/**
 * A search is `{ name, arguments }`, `{ name, input }` or `{ name, args }`, depending on the format, and an
 * item type of its own in Responses. In some formats its result has a name, too.
 */
function queryOf({ type, name, input, args, arguments: text }: JsonObject): string[] {
  if (name !== SEARCH_TOOL && type !== 'tool_search_call') return [];
  const given = typeof text === 'string' ? (JSON.parse(text) as JsonObject) : (text ?? input ?? args);
  return given === undefined ? [] : [String((given as JsonObject).query)];
}

function objectsIn(value: unknown): JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : [value as JsonObject];
  return [...own, ...Object.values(value).flatMap(objectsIn)];
}
