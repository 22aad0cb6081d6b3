import { describeDoorSearch, searchParameters } from '@winnow/core';
import type { McpTool } from '@winnow/registry';

/** Most results of one search, and the default. */
export const MAX_FOUND = 20;
export const DEFAULT_FOUND = 5;

/** Most tools that are described at once. */
export const MAX_DESCRIBED = 20;

/** Hints of a tool that changes nothing and reaches nothing outside. */
const HARMLESS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/**
 * Claude Code holds back the tools of MCP servers and searches them by itself; what finds and calls all others must be there from the start.
 *
 * Source: https://code.claude.com/docs/en/mcp
 */
const ALWAYS_THERE = { 'anthropic/alwaysLoad': true };

/** Finds tools. `calls` says how those are called that are found. */
export function searchToolsTool(calls: string): McpTool {
  return {
    name: 'search_tools',
    title: 'Search tools',
    description: describeDoorSearch(calls),
    inputSchema: searchParameters({
      limit: { type: 'integer', minimum: 1, maximum: MAX_FOUND, default: DEFAULT_FOUND },
      namespace: { type: 'string', description: 'Only tools of this namespace (usually a server).' },
      tags: { type: 'array', items: { type: 'string' }, description: 'Only tools with any of these tags.' },
    }),
    annotations: HARMLESS,
    _meta: ALWAYS_THERE,
  };
}

/** Gives full schemas. */
export const DESCRIBE_TOOLS_TOOL: McpTool = {
  name: 'describe_tools',
  title: 'Describe tools',
  description:
    'Gives the full definitions of tools by name: description, schemas of arguments and results, examples. Use it when what a search says of a tool is not enough to call it.',
  inputSchema: {
    type: 'object',
    properties: {
      names: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: MAX_DESCRIBED,
        description: 'Names as search_tools gives them.',
      },
    },
    required: ['names'],
  },
  annotations: HARMLESS,
  _meta: ALWAYS_THERE,
};

/** Properties of a tool that calls other tools. */
export interface CallingTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether everything that it calls only reads. */
  readonly isReadOnly: boolean;
  /** Whether it is the only one of its kind. */
  readonly isAlone: boolean;
}

/** Calls another tool. */
export function callingTool({ name, title, description, isReadOnly, isAlone }: CallingTool): McpTool {
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool, as search_tools gives it.' },
        arguments: { type: 'object', description: 'Arguments of that tool, by its schema.' },
        dry_run: { type: 'boolean', description: 'Only checks the arguments and calls nothing.' },
      },
      required: ['name', 'arguments'],
    },
    annotations: {
      readOnlyHint: isReadOnly,
      ...(!isReadOnly && { destructiveHint: true }),
      openWorldHint: true,
    },
    ...(isAlone && { _meta: ALWAYS_THERE }),
  };
}
