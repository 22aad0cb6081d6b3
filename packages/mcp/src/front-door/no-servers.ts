import { CallProblem } from '../servers/call-problem.ts';
import type { McpServers } from '../servers/mcp-servers.ts';

/** Servers for a registry without any: tools can be found, but not called. */
export const NO_SERVERS: McpServers = {
  states: () => [],
  state: () => undefined,
  call: (server) =>
    Promise.reject(new CallProblem('unknown_server', `The server ${server} is not configured here.`)),
  ownName: () => undefined,
  trustsAnnotations: () => false,
  close: () => Promise.resolve(),
};
