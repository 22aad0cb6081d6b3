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
