import { CallProblem } from '../servers/failures.ts';
import type { McpServers } from '../servers/mcp-servers.ts';

/** Servers for a registry without any: tools can be found, but not called. */
export const NO_SERVERS: McpServers = {
  states: () => [],
  state: () => undefined,
  call: (server) => Promise.reject(unknownServer(server)),
  admit: (server) => Promise.reject(unknownServer(server)),
  refusalOf: () => undefined,
  hintsOf: () => ({}),
  offersOf: () => [],
  offersVersion: 0,
  onOffersChanged: () => () => {},
  relay: (server) => Promise.reject(unknownServer(server)),
  subscribe: (server) => Promise.reject(unknownServer(server)),
  close: () => Promise.resolve(),
};

function unknownServer(server: string): CallProblem {
  return new CallProblem('unknown_server', `The server ${server} is not configured here.`);
}
