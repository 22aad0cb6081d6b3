import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AGENTS, type ImportedSettings, importSettings, NOT_RELAYED, writeDoorEntry } from '@winnow/mcp';
import { readFile } from '@winnow/service';

export interface ImportOptions {
  /** The agent's settings. */
  readonly file: string;
  /** The agent, if the name of the file does not show it. */
  readonly agent: string | undefined;
  /** The configuration file to write. */
  readonly to: string;
  /** Whether it is written; nothing is changed otherwise. */
  readonly isWritten: boolean;
  /** The command that starts the front door, without options. */
  readonly door: { readonly command: string; readonly args: readonly string[] };
  /** The words that call this command, to print them. */
  readonly start: string;
}

export type ImportResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the MCP servers of an agent's settings, and prints the entry that replaces them. Never changes the
 * agent's file. On request, writes the configuration file, which only its owner can read, because it may hold
 * secrets. Prints no secrets.
 */
export function importAgentSettings(options: ImportOptions): ImportResult {
  const path = resolve(options.file);
  const text = readFile(path);
  if (text === undefined) return { ok: false, problem: `${path} cannot be read.` };
  const outcome = importSettings({ path, text }, options.agent);
  if (!outcome.ok) return { ok: false, problem: `${path}: ${outcome.problem}` };
  const { imported } = outcome;
  if (imported.servers.length === 0)
    return { ok: false, problem: `${path} has no server to copy.${leftOutOf(imported)}` };
  if (options.isWritten) {
    const problem = writeConfiguration(options.to, imported.configuration);
    if (problem !== undefined) return { ok: false, problem };
  }
  return { ok: true, text: describe(imported, path, options) };
}

function writeConfiguration(path: string, configuration: string): string | undefined {
  if (readFile(path) === configuration) return undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, configuration, { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return code === 'EEXIST'
      ? `${path} exists already with other content. Name another file with --to.`
      : `${path} cannot be written (${code}).`;
  }
}

function describe(
  imported: ImportedSettings,
  path: string,
  { to, isWritten, door, start, agent }: ImportOptions,
): string {
  const { title, note } = imported.agent;
  const names = imported.servers.map(({ name }) => name).join(', ');
  const entry = writeDoorEntry(imported, { ...door, args: [...door.args, '--config', to] });
  const again = [
    start,
    '--import',
    quoted(path),
    ...(agent ? ['--agent', agent] : []),
    '--to',
    quoted(to),
    '--write',
  ].join(' ');
  return [
    `${title}, ${path}: ${imported.servers.length} server${imported.servers.length === 1 ? '' : 's'} (${names}).${leftOutOf(imported)}`,
    '',
    isWritten
      ? `1. The servers are now in ${to}, which only you can read.`
      : `1. Nothing is written yet. This copies the servers to ${to}, which only you can read:\n\n   ${again}`,
    '',
    `2. Keep a copy of ${path}, and replace its servers with this:`,
    '',
    entry,
    '',
    ...(imported.variables.length > 0
      ? [`Its servers need ${imported.variables.join(', ')} from the environment.`]
      : []),
    ...(note !== undefined && imported.variables.length > 0 ? [note] : []),
    `Then restart ${title}. It sees search_tools, call_tool and describe_tools instead of all their tools.`,
    `Prompts, resources and instructions are passed on, too. These are not: ${NOT_RELAYED.join('; ')}.`,
    'If you need one of these from a server, also keep that server in the old settings.',
    '',
  ].join('\n');
}

function leftOutOf({ leftOut, dropped }: ImportedSettings): string {
  const servers = leftOut.map(({ name, reason }) => `\nLeft out: ${name}, as ${reason}.`);
  return [...servers, ...dropped.map(({ key, remedy }) => `\nNot taken over: ${key} (${remedy}).`)].join('');
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Values of `--agent`. */
export const AGENT_IDS = AGENTS.map(({ id }) => id);
