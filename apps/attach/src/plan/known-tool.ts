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
