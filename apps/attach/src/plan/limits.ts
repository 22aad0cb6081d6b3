/** How many tools an agent may have. */
export interface Limits {
  /** Of all kinds: `MAX_TOTAL_TOOLS`. */
  readonly total: number;
  /** From MCP servers: `MAX_MCP_TOOLS`. */
  readonly mcp: number;
  /** Fewer MCP tools than these are not left: `MIN_MCP_TOOLS`. */
  readonly leastMcp: number;
  /** The share of MCP tools that pruning takes away, 0 to 1: `DEFAULT_DROP_RATE`. */
  readonly dropRate: number;
}
