import type { Registry } from '@winnow/registry';
import type { McpServers } from '../servers/mcp-servers.ts';
import type { ServerStatus } from '../servers/server-state.ts';
import { displayLine } from './display-text.ts';

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
