import { CallProblem } from '../servers/call-problem.ts';
import type { McpServers } from '../servers/mcp-servers.ts';

/** What stands in where no MCP server is configured: tools can be found and none can be called. */
export const NO_SERVERS: McpServers = {
  states: () => [],
  state: () => undefined,
  call: (server) =>
    Promise.reject(new CallProblem('unknown_server', `The server ${server} is not configured here.`)),
  ownName: () => undefined,
  trustsAnnotations: () => false,
  close: () => Promise.resolve(),
};
