import type { McpTool } from '../model/tool.ts';

/** What an MCP server lists, and what its tools become. */
export interface ServerList {
  readonly server: string;
  /** None when it is empty. */
  readonly namespace: string;
  /** Stands in model names in place of the namespace. */
  readonly prefix?: string | undefined;
  readonly tags: readonly string[];
  /** Whether annotations may decide anything. */
  readonly trustsAnnotations: boolean;
  /** Names must be of the registry's form, and each must be there once; whatever else is wrong with a tool leaves it out. */
  readonly tools: readonly McpTool[];
  /** Digests of the definitions that were approved, by name: another one waits. Undefined takes over whatever comes. */
  readonly approved?: ReadonlyMap<string, string> | undefined;
}
