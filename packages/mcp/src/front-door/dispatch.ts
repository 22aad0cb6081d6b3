import { hash } from 'node:crypto';
import { describeDoorSearch, searchParameters } from '@winnow/core';
import type { McpTool } from '@winnow/registry';

/** Most results of one search. */
export const MAX_FOUND = 20;

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
      limit: { type: 'integer', minimum: 1, maximum: MAX_FOUND },
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
interface CallingTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether everything that it calls only reads. */
  readonly isReadOnly: boolean;
  /** Whether it is the only one of its kind. */
  readonly isAlone: boolean;
}

/** Calls another tool. */
function callingTool({ name, title, description, isReadOnly, isAlone }: CallingTool): McpTool {
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

/**
 * Modes that decide which tools call other tools.
 *
 * - `single`: all by `call_tool`.
 * - `per_namespace`: those of a namespace by `call_NAMESPACE`, so that a client's permissions can distinguish
 *   servers.
 * - `per_effect`: read-only tools, by annotations of a trusted server, by `read_NAMESPACE`, all others by
 *   `write_NAMESPACE`.
 *
 * Tools without a namespace are always called by `call_tool`.
 */
export const DISPATCH_MODES = ['single', 'per_namespace', 'per_effect'] as const;
export type DispatchMode = (typeof DISPATCH_MODES)[number];

/** Properties of a tool that decide which tool calls it. */
export interface Dispatched {
  readonly namespace: string;
  /** Whether its server is trusted and declares it read-only. */
  readonly isReadOnly: boolean;
}

/** A namespace, and which effects its tools have. */
export interface DispatchedNamespace {
  readonly name: string;
  readonly hasReadOnly: boolean;
  readonly hasOther: boolean;
}

/** Names of tools must be no longer, for all providers. */
const MAX_CHARS = 64;
const DIGITS = 8;

export const CALL_TOOL = 'call_tool';

/**
 * Returns the name of the tool that calls another one. It depends only on the namespace, so it is stable: if a
 * namespace must be altered to be a valid name, eight digits of its SHA-256 follow.
 */
export function dispatchName(mode: DispatchMode, { namespace, isReadOnly }: Dispatched): string {
  if (mode === 'single' || namespace === '') return CALL_TOOL;
  const verb = mode === 'per_namespace' ? 'call' : isReadOnly ? 'read' : 'write';
  const plain = `${verb}_${namespace}`;
  // `call_tool` is taken, and a plain name must never look like one with digits.
  const isPlain = /^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= MAX_CHARS && !RESERVED.test(plain);
  if (isPlain) return plain;
  const cut = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_CHARS - DIGITS - 1);
  return `${cut}_${hash('sha256', namespace).slice(0, DIGITS)}`;
}

const RESERVED = /^call_tool$|_[0-9a-f]{8}$/;

/** Whether a name may be one of those tools. */
export function isDispatchName(mode: DispatchMode, name: string): boolean {
  if (name === CALL_TOOL) return true;
  switch (mode) {
    case 'single':
      return false;
    case 'per_namespace':
      return name.startsWith('call_');
    case 'per_effect':
      return name.startsWith('read_') || name.startsWith('write_');
  }
}

/** The tools that call others, by name. `call_tool` is among them when it has something to call, and always when nothing else has. */
export function dispatchTools(
  mode: DispatchMode,
  namespaces: readonly DispatchedNamespace[],
): readonly McpTool[] {
  if (mode === 'single') return [CALL_ANY];
  const named = namespaces.filter(({ name }) => name !== '');
  const tools = named.flatMap((namespace) => toolsOf(mode, namespace));
  tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  const hasOthers = namespaces.some(({ name }) => name === '');
  return hasOthers || tools.length === 0
    ? [hasOthers && tools.length > 0 ? CALL_OTHERS : CALL_ANY, ...tools]
    : tools;
}

function toolsOf(
  mode: DispatchMode,
  { name, hasReadOnly, hasOther }: DispatchedNamespace,
): readonly McpTool[] {
  const tool = (isReadOnly: boolean, which: string) =>
    callingTool({
      name: dispatchName(mode, { namespace: name, isReadOnly }),
      title: `Call ${which} of ${name}`,
      description: `Calls ${which} of the namespace ${name}. Find their names and parameters with search_tools.`,
      isReadOnly,
      isAlone: false,
    });
  if (mode === 'per_namespace') return [tool(false, 'tools')];
  return [
    ...(hasReadOnly ? [tool(true, 'tools that only read')] : []),
    ...(hasOther ? [tool(false, 'tools that may change something')] : []),
  ];
}

const CALL_ANY = callingTool({
  name: CALL_TOOL,
  title: 'Call a tool',
  description:
    'Calls a tool that search_tools found. Its arguments are checked first; an error says what to change.',
  isReadOnly: false,
  isAlone: true,
});

/** Calls tools that only read: nothing else goes through a door that only reads. */
export const CALL_READING = callingTool({
  name: CALL_TOOL,
  title: 'Call a tool that only reads',
  description:
    'Calls a tool that search_tools found, if it only reads. Its arguments are checked first; an error says what to change.',
  isReadOnly: true,
  isAlone: true,
});

const CALL_OTHERS = callingTool({
  name: CALL_TOOL,
  title: 'Call a tool without a namespace',
  description: 'Calls a tool without a namespace. Find names and parameters with search_tools.',
  isReadOnly: false,
  isAlone: false,
});
