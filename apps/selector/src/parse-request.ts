import { type ErrorDetail, type SearchQuery, SearchRequest, type Tool } from '@winnow/core';
import { readTool } from '@winnow/ranking';
import { invalidRequest, MAX_DETAILS, toDetail } from '@winnow/service';
import { SelectorError } from './selector-error.ts';

/** The query of a request, with its patterns in one list. */
export type ParsedQuery = Omit<SearchQuery, 'pattern'> & { readonly patterns: readonly string[] };

/** A request with its tools read from any shape; undefined if it has none. */
export type ParsedRequest = ParsedQuery & { readonly tools: readonly Tool[] | undefined };

/** Appended once, however many tools lack a name. */
const SHAPES_HINT =
  ' A tool is { name, description?, definition? }, or an object as OpenAI, Anthropic, Gemini (one declaration), Bedrock (toolSpec) or MCP write it.';

/** Validates a request. Throws `invalid_request` or, if there are too many tools, `payload_too_large`. */
export function parseRequest(value: unknown, maxTools: number): ParsedRequest {
  const sent = (value as { tools?: unknown } | null)?.tools;
  const values = Array.isArray(sent) ? sent : [];
  // Counts the tools before validating them.
  if (values.length > maxTools)
    throw new SelectorError('payload_too_large', `There are more than ${maxTools} tools.`);
  const request = SearchRequest.safeParse(value);
  const { tools, faults } = readTools(values);
  // The schema and the tools both report an element that is not an object; keep one.
  const issues = request.error?.issues.filter(({ path }) => !(path[0] === 'tools' && path.length > 1)) ?? [];
  const details = [
    ...issues.map(toDetail),
    ...(request.success ? patternFaults(request.data) : []),
    ...faults,
  ];
  if (request.success && details.length === 0) {
    const { pattern = '', patterns = [pattern], ...query } = request.data;
    return { ...query, patterns, tools: query.tools && tools };
  }
  throw invalidRequest(details, faults.some(({ path }) => path.endsWith('.name')) ? SHAPES_HINT : '');
}

function patternFaults({ pattern, patterns, explain, query_vector: vector }: SearchQuery): ErrorDetail[] {
  if (patterns === undefined) {
    return pattern === undefined
      ? [{ path: 'pattern', message: 'Required unless there are `patterns`' }]
      : [];
  }
  if (patterns.length === 1) return [];
  const single = [explain.length > 0 && 'explain', vector !== undefined && 'query_vector'];
  return single.filter((path) => path !== false).map((path) => ({ path, message: 'Takes a single pattern' }));
}

function readTools(values: readonly unknown[]): { tools: Tool[]; faults: ErrorDetail[] } {
  const tools: Tool[] = [];
  const faults: ErrorDetail[] = [];
  for (const [position, value] of values.entries()) {
    const reading = readTool(value);
    if (reading.ok) tools.push(reading.tool);
    else if (faults.length < MAX_DETAILS) faults.push(toToolDetail(position, reading));
  }
  return { tools, faults };
}

function toToolDetail(position: number, { path, message }: { path: string; message: string }): ErrorDetail {
  return { path: `tools.${position}${path === '' ? '' : `.${path}`}`, message };
}
