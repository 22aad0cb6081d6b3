import { createHash } from 'node:crypto';

/** The relevant parts of a tool of Letta. */
export interface KnownTool {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Letta's own kind, such as `custom`, `external_mcp` or `letta_core`. */
  readonly toolType: string;
  readonly tags: readonly string[];
  /** The function as models see it, or undefined. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

/** An agent and its attached tools. */
export interface Agent {
  readonly id: string;
  /** Each id once. */
  readonly tools: readonly KnownTool[];
  /** Names that the agent's tool rules speak of. */
  readonly ruledNames: ReadonlySet<string>;
}

/**
 * The class of a tool: `core` tools are Letta's own, `mcp` tools come from an MCP server and may be attached and detached, and `other` tools were
 * made for agents by hand and are never detached.
 */
export type ToolClass = 'core' | 'mcp' | 'other';

/** The tag with which Letta marks the origin of a tool: `mcp:` and the name of the server. */
const MCP_TAG = /^mcp:./;

/** The class of a tool by its kind and its tags. */
export function classOf({ toolType, tags }: Pick<KnownTool, 'toolType' | 'tags'>): ToolClass {
  if (toolType.startsWith('letta_')) return 'core';
  return toolType === 'external_mcp' || tags.some((tag) => MCP_TAG.test(tag)) ? 'mcp' : 'other';
}

/** The MCP server in a tool's tags. */
export function serverOf({ tags }: Pick<KnownTool, 'tags'>): string | undefined {
  return tags.find((tag) => MCP_TAG.test(tag))?.slice('mcp:'.length);
}

/** Tells one set of attached tools from another: the same ids in any order give the same text. */
export function hashOfTools(tools: readonly Pick<KnownTool, 'id'>[]): string {
  const ids = tools.map(({ id }) => id).sort();
  return createHash('sha256').update(JSON.stringify(ids)).digest('hex');
}

/** The limits for an agent's tools. */
export interface Limits {
  /** Maximum number of tools of all kinds: `max_total_tools`. */
  readonly total: number;
  /** Maximum number of tools from MCP servers: `max_mcp_tools`. */
  readonly mcp: number;
  /** Number of MCP tools that pruning leaves at least: `min_mcp_tools`. */
  readonly leastMcp: number;
  /** The share of MCP tools that pruning takes away, 0 to 1: `default_drop_rate`. */
  readonly dropRate: number;
}

/** Why a tool stays: its class, a request's `keep_tools`, a setting's names, the tag `protected`, or a rule of the agent that speaks of it. */
export const PROTECTIONS = ['core', 'other', 'keep_tools', 'name', 'tag', 'rule'] as const;
export type Protection = (typeof PROTECTIONS)[number];

/** The rules that protect the tools of one agent in one request. */
interface ProtectionRules {
  /** Whole names, or prefixes of names followed by `*`. */
  readonly names: readonly string[];
  readonly keep: ReadonlySet<string>;
  readonly ruledNames: Agent['ruledNames'];
}

/** The first reason why a tool is never detached; undefined when it may be. A tool that a request matched stays as well: that is the plan's business. */
export function protectionOf(tool: KnownTool, rules: ProtectionRules): Protection | undefined {
  const toolClass = classOf(tool);
  if (toolClass !== 'mcp') return toolClass;
  if (rules.keep.has(tool.id)) return 'keep_tools';
  if (rules.names.some((pattern) => isNamedBy(tool.name, pattern))) return 'name';
  if (tool.tags.includes('protected')) return 'tag';
  if (rules.ruledNames.has(tool.name)) return 'rule';
  return undefined;
}

/** Case counts, and no part of a name is a name: `send` does not protect `send_email`; `send*` does. */
function isNamedBy(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
