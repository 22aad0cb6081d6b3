import type { McpTool } from '../model/tool.ts';

/** The tools that an MCP server lists, and how to register them. */
export interface ServerList {
  readonly server: string;
  /** Empty for no namespace. */
  readonly namespace: string;
  /** Replaces the namespace in model names. */
  readonly prefix?: string | undefined;
  readonly tags: readonly string[];
  readonly trustsAnnotations: boolean;
  /** Names must be valid and unique; a tool with any other fault is left out. */
  readonly tools: readonly McpTool[];
  /** Digests of the approved definitions, by name; others await approval. Undefined accepts every definition. */
  readonly approved?: ReadonlyMap<string, string> | undefined;
  /** Whether tools without an approved definition are approved as they are: at the first sight of a server. */
  readonly approvesNew?: boolean;
  /** Namespaces in which tools that are not listed lose the server's backend; all of them when missing. */
  readonly clearedNamespaces?: readonly string[] | undefined;
}
