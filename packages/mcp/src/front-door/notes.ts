import type { Registry } from '@winnow/registry';
import { CallProblem } from '../servers/failures.ts';
import type { McpServers, ServerStatus } from '../servers/mcp-servers.ts';
import { displayLine } from './call-outcome.ts';

/** Servers that are named when they have no tools yet. */
const MAX_ABSENT = 5;

/** Returns sentences about servers in sight without tools so far, which may have the wanted tool. */
export function absentNotes(registry: Registry, servers: McpServers): readonly string[] {
  const absent = servers.states().filter(({ namespace, tools }) => tools === 0 && registry.sees(namespace));
  const named = (wanted: ServerStatus) =>
    absent
      .filter(({ status }) => status === wanted)
      .slice(0, MAX_ABSENT)
      .map(({ name }) => displayLine(name, 64))
      .join(', ');
  const [starting, down] = [named('connecting'), named('down')];
  return [
    ...(starting === '' ? [] : [`Still starting, their tools come later: ${starting}.`]),
    ...(down === '' ? [] : [`Not reached so far: ${down}.`]),
  ];
}

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

/** Arguments read from a model's call, or a sentence that says how to correct them. */
export type ReadArguments<Read> =
  | { readonly ok: true; readonly read: Read }
  | { readonly ok: false; readonly message: string };
