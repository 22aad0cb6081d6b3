/** Prefixes of tool names: `mcp__github__create`, `mcp_github_create`, `github__create`, `github.create`. */
const PREFIX = /^(?:mcp__(.+?)__|mcp_([^_]+)_|(.+?)(?:__|[.:/]))./;

/** Returns the MCP server or namespace in a tool's name; empty if the name has none. */
export function serverOf(toolName: string): string {
  const [, ...servers] = PREFIX.exec(toolName) ?? [];
  return servers.find((server) => server !== undefined) ?? '';
}
