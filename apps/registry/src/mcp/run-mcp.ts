import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  AGENTS,
  DISPATCH_MODES,
  type DispatchMode,
  type ImportedSettings,
  importSettings,
  NOT_RELAYED,
  writeDoorEntry,
} from '@winnow/mcp';
import { EXIT, readCommandLine, readFile, refuseToStart } from '@winnow/service';
import { defaultConfigFile, readDoorSettings } from '../config.ts';
import { VERSION } from '../version.ts';
import { serveStdio } from './serve-stdio.ts';

const COMMAND = {
  name: 'winnow mcp',
  version: VERSION,
  start: 'npm run mcp --',
  summary:
    'One MCP server in front of many, over stdin and stdout: its client sees search_tools, call_tool and describe_tools.',
  options: {
    config: { type: 'string', value: 'FILE', help: 'the MCP servers, as agents write them (mcpServers)' },
    dispatch: { type: 'string', value: 'MODE', help: `how tools are called: ${DISPATCH_MODES.join(', ')}` },
    embedder: {
      type: 'string',
      value: 'ADDRESS',
      help: 'searches by meaning, too: onnx:FOLDER with a model, or URL#MODEL',
    },
    import: {
      type: 'string',
      value: 'FILE',
      help: "reads an agent's settings, and prints the one entry for it",
    },
    agent: {
      type: 'string',
      value: 'ID',
      help: `the agent whose settings they are: ${AGENTS.map(({ id }) => id).join(', ')}`,
    },
    to: { type: 'string', value: 'FILE', help: 'the file to which an import copies the servers' },
    write: { type: 'boolean', help: 'makes the import write that file; without it, nothing is changed' },
  },
  settings: 'docs/clients/mcp.md says more.',
} as const;

const NO_CONFIG =
  '--config must name a file with MCP servers; --import FILE makes one from the settings of an agent.';

/** The front door over stdio, and the command that imports an agent's servers. */
export async function runMcp(words: readonly string[]): Promise<void> {
  const options = readCommandLine(COMMAND, words);
  if (options === undefined) return;
  const refuse = (...problems: string[]) => refuseToStart(COMMAND.name, problems, EXIT.badSettings);
  if (options.import !== undefined) {
    const result = importAgentSettings({
      file: options.import,
      agent: options.agent,
      to: options.to ?? defaultConfigFile(),
      isWritten: options.write ?? false,
      door: doorCommand(),
      start: COMMAND.start,
    });
    if (result.ok) process.stdout.write(result.text);
    else refuse(result.problem);
    return;
  }
  for (const name of ['agent', 'to', 'write'] as const) {
    if (options[name] !== undefined) return refuse(`--${name} goes with --import.`);
  }
  const { dispatch } = options;
  if (dispatch !== undefined && !isDispatch(dispatch)) {
    return refuse(`--dispatch takes ${DISPATCH_MODES.join(', ')}, not "${dispatch}".`);
  }
  if (options.config === undefined) return refuse(NO_CONFIG);
  const outcome = readDoorSettings(options.config);
  if (!outcome.ok) return refuse(...outcome.problems);
  for (const notice of outcome.settings.notices) console.error(`${COMMAND.name}: ${notice}`);
  const { embedder } = options;
  await serveStdio({
    ...outcome.settings,
    ...(dispatch && { mcpDispatch: dispatch }),
    ...(embedder !== undefined && { embedder }),
  });
}

function isDispatch(text: string): text is DispatchMode {
  return DISPATCH_MODES.some((mode) => mode === text);
}

/** Returns the command with which an agent starts this program: the path of the sources, or the npm package with its optional packages. */
function doorCommand(): { readonly command: string; readonly args: readonly string[] } {
  if (COMMAND.start.startsWith('npm ')) {
    return { command: process.execPath, args: [fileURLToPath(new URL('../mcp-main.ts', import.meta.url))] };
  }
  const [name = '', ...words] = COMMAND.start.split(' ');
  const packages = [`${name}@${VERSION}`, ...VENDOR_PACKAGES].flatMap((one) => ['-p', one]);
  return { command: 'npx', args: ['-y', ...packages, name, ...words] };
}

/** Optional dependencies of the npm package. */
const VENDOR_PACKAGES = ['@modelcontextprotocol/server@2.4.0', '@modelcontextprotocol/client@2.4.0'];

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

type ImportResult =
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
