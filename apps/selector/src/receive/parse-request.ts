import { isUtf8 } from 'node:buffer';
import { type ErrorDetail, SearchQuery, SearchRequest, type Tool } from '@winnow/core';
import { readTool } from '@winnow/ranking';
import { checkForm, invalidRequest, MAX_DETAILS, readJson, toDetail } from '@winnow/service';
import { SelectorError } from '../selector-error.ts';

/** Maximum number of JSON values of a body: 20,000 tools with large schemas. */
const MAX_VALUES = 1_000_000;

/** A request with its tools read from any shape; undefined if it has none. */
export type ParsedRequest = SearchQuery & { readonly tools: readonly Tool[] | undefined };

/** Appended once, however many tools lack a name. */
const SHAPES_HINT =
  ' A tool is { name, description?, definition? }, or an object as OpenAI, Anthropic, Gemini (one declaration), Bedrock (toolSpec) or MCP write it.';

/**
 * Parses and validates a whole request. Throws `invalid_json`, `invalid_request` or, if there are too many
 * tools, `payload_too_large`.
 */
export function parseRequest(bytes: Buffer, maxTools: number): ParsedRequest {
  const value = readJson(bytes, MAX_VALUES);
  // Counts the tools before validating them.
  if (countTools(value) > maxTools) {
    throw new SelectorError('payload_too_large', `There are more than ${maxTools} tools.`);
  }
  const request = SearchRequest.safeParse(value);
  const values = (value as { tools?: unknown } | null)?.tools;
  const { tools, faults } = readTools(Array.isArray(values) ? values : []);
  // The schema and the tools both report an element that is not an object; keep one.
  const issues = request.error?.issues.filter(({ path }) => !(path[0] === 'tools' && path.length > 1)) ?? [];
  const details = [...issues.map(toDetail), ...faults];
  if (request.success && details.length === 0) {
    return { ...request.data, tools: request.data.tools && tools };
  }
  throw invalidRequest(details, faults.some(({ path }) => path.endsWith('.name')) ? SHAPES_HINT : '');
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

/** Parses and validates a request without its tools. Throws `invalid_json` or `invalid_request`. */
export function parseEnvelope(bytes: Buffer): SearchQuery {
  return checkForm(SearchQuery, readJson(bytes, MAX_VALUES));
}

/** Parses one tool; undefined if the bytes are not a tool. */
export function parseTool(bytes: Buffer): Tool | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const reading = readTool(JSON.parse(bytes.toString()));
    return reading.ok ? reading.tool : undefined;
  } catch {
    return undefined;
  }
}

function countTools(value: unknown): number {
  const tools = (value as { tools?: unknown } | null)?.tools;
  return Array.isArray(tools) ? tools.length : 0;
}
