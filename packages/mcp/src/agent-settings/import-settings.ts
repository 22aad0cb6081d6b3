import { AGENTS, type Agent, type DoorCommand } from './agents.ts';
import type { AgentServer } from './read-entry.ts';

/** A file of an agent. */
export interface SettingsFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** An agent's settings as a configuration of the front door. */
export interface ImportedSettings {
  readonly agent: Agent;
  readonly servers: readonly AgentServer[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Keys that were not taken over, such as `github.envFile`, each with a remedy. */
  readonly dropped: readonly { readonly key: string; readonly remedy: string }[];
  /** Environment variables that the servers need. */
  readonly variables: readonly string[];
  /** The text of a configuration file with all servers, including the secrets of the agent's settings. */
  readonly configuration: string;
}

export type ImportOutcome =
  | { readonly ok: true; readonly imported: ImportedSettings }
  /** A sentence; it holds nothing of the file's content. */
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the MCP servers from an agent's settings. The name of the file shows which agent it is, or else the
 * form of the settings. Changes nothing.
 */
export function importSettings({ path, text }: SettingsFile, agentId?: string): ImportOutcome {
  const place = { workspace: parentOf(parentOf(path)) };
  const named = agentId === undefined ? undefined : AGENTS.find(({ id }) => id === agentId);
  if (agentId !== undefined && named === undefined) {
    return {
      ok: false,
      problem: `There is no agent ${agentId}; there are ${AGENTS.map(({ id }) => id).join(', ')}.`,
    };
  }
  const byName = AGENTS.filter((agent) => agent.isPath(path));
  const candidates = named ? [named] : byName.length > 0 ? byName : AGENTS;
  let broken = false;
  for (const agent of candidates) {
    try {
      const read = agent.read(text, place);
      if (read !== undefined) return { ok: true, imported: toImported(agent, read) };
    } catch {
      // Neither JSON nor TOML, as this agent would have it. What is wrong could quote a secret.
      broken = true;
    }
  }
  const why = broken ? 'It cannot be read as JSON or TOML.' : 'It contains no MCP servers.';
  const files = candidates.map(({ title, files: names }) => `${title}: ${names}`).join('; ');
  return { ok: false, problem: `${why} Known settings: ${files}.` };
}

/** Writes the entry that replaces all servers. */
export function writeDoorEntry(
  { agent, variables }: ImportedSettings,
  command: Omit<DoorCommand, 'variables'>,
): string {
  return agent.write({ ...command, variables });
}

function toImported(
  agent: Agent,
  { servers, leftOut, dropped }: Pick<ImportedSettings, 'servers' | 'leftOut' | 'dropped'>,
): ImportedSettings {
  const configuration = `${JSON.stringify({ mcpServers: Object.fromEntries(servers.map(toEntry)) }, null, 2)}\n`;
  return { agent, servers, leftOut, dropped, configuration, variables: variablesIn(servers) };
}

function toEntry(server: AgentServer): readonly [string, object] {
  const { name, isEnabled, include, exclude, ...rest } = server;
  return [
    name,
    {
      ...rest,
      ...(!isEnabled && { enabled: false }),
      ...(include && { include }),
      ...(exclude && { exclude }),
    },
  ];
}

/** Only variables without a default are needed. */
function variablesIn(servers: readonly AgentServer[]): readonly string[] {
  const found = JSON.stringify(servers.filter(({ isEnabled }) => isEnabled)).matchAll(/\$\{(\w+)\}/g);
  // Every agent passes these on by itself.
  const given = new Set(['HOME', 'PATH', 'USER', 'SHELL']);
  return [...new Set([...found].map(([, name]) => name!))].filter((name) => !given.has(name)).sort();
}

/** Returns the parent of a path, in the style of any platform. */
function parentOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, '');
}
