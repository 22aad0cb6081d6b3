import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { embedderProblems, embedderSettings } from '@winnow/embeddings';
import { DISPATCH_MODES, readServers, type ServerEntry, type ServersFile } from '@winnow/mcp';
import type { AlwaysLoaded } from '@winnow/registry';
import {
  at,
  defaultsOf,
  type Environment,
  isLoopback,
  readSettings as readDeclared,
  readDocument,
  readService,
  type ServiceSettings,
  type SettingsDeclaration,
  serverLimits,
  serverSettings,
  serverTlsProblems,
  setting,
  type ValuesOf,
  variablesOf,
} from '@winnow/service';
import { z } from 'zod';
import { DEFAULT_TENANT, readTokens, type TokenSetting } from './http/callers.ts';

/** `auto`, `auto:N` for the N most called tools, a list of ids or model names, or `none`. */
const alwaysLoaded = setting.of<AlwaysLoaded>(
  setting.texts().transform((names, context): AlwaysLoaded => {
    const [isAuto, count = '5'] = /^auto(?::(10|[1-9]))?$/.exec(names.join()) ?? [];
    if (isAuto !== undefined) return { mostCalled: Number(count) };
    if (names.join() === 'none') return [];
    if (names.every((name) => /^[A-Za-z0-9_.:-]+$/.test(name) && !/^auto:/.test(name))) return names;
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  }) as z.ZodType<AlwaysLoaded>,
  { mostCalled: 5 },
  'auto, auto:1 to auto:10, none, or a comma-separated list of ids or model names',
  (value) => JSON.stringify('mostCalled' in value ? `auto:${value.mostCalled}` : value.join(',') || 'none'),
);

/** Every setting: the one place of names, defaults and bounds. `docs/reference/registry-settings.md` says what each is for. */
export const SETTINGS = {
  ...serverSettings(8789),
  sqliteFile: at(
    'sqlite.file',
    setting.of(z.string().min(1), './data/registry.sqlite', 'the path of a file, or :memory:'),
  ),
  postgresUrl: at(
    'postgres.url',
    setting.secretText(
      'every_request',
      (text) => /^(postgres(ql)?:\/\/.|$)/.test(text),
      'an address such as postgres://user:password@host:5432/database',
    ),
  ),
  tokensFile: at('tokens_file', setting.watched(setting.file(''))),
  serversFile: at('mcp.servers_file', setting.watched(setting.file(''))),
  alwaysLoaded: at('always_loaded', alwaysLoaded),
  ...embedderSettings(),
  mcpDispatch: at('mcp.dispatch', setting.oneOf(DISPATCH_MODES, 'single')),
} as const;

const MIB = 2 ** 20;

/** Limits that no setting changes. */
const FIXED = {
  ...serverLimits({ maxBodyBytes: 16 * MIB, maxHeldBytes: 256 * MIB, drainTimeoutMs: 10_000 }),
  /** The most tools of a tenant. */
  maxTools: 200_000,
  /** The most calls of tools for MCP clients that run at once. */
  mcpMaxCalls: 128,
  /** The most open streams of changes. */
  maxFollowers: 256,
};

type Values = ValuesOf<typeof SETTINGS>;

/** The settings, read and checked, with the tokens and servers of the files that they name. */
export type Settings = Values &
  typeof FIXED & {
    readonly tokens: readonly TokenSetting[];
    readonly servers: readonly ServerEntry[];
    /** Parts of the servers' file that are for other programs. */
    readonly notices: readonly string[];
  };

/** Settings, or everything that is wrong with them. */
export type SettingsOutcome = ServiceSettings<Settings>;

/** The settings when nothing is set. */
export const DEFAULT_SETTINGS: Settings = {
  ...{ ...defaultsOf(SETTINGS), ...FIXED },
  ...{ tokens: [], servers: [], notices: [] },
};

/** Everything that can be set, and where. */
export const DECLARATION = { table: SETTINGS, prefix: 'REGISTRY' } as const;

/**
 * Reads the settings from a file and environment variables, and the tokens and servers from the files that they
 * name.
 *
 * Without tokens every caller may do everything, so the service then listens only on loopback.
 *
 * @param file holds settings, or MCP servers as agents write them
 */
export function readSettings(environment: Environment = process.env, file?: string): SettingsOutcome {
  return read(DECLARATION, environment, holdsServers(file) ? { servers: file } : { settings: file });
}

/** The files of a command line. */
interface Files {
  readonly settings?: string | undefined;
  readonly servers?: string | undefined;
}

function read(
  declaration: SettingsDeclaration<typeof SETTINGS, Readonly<Record<string, never>>>,
  environment: Environment,
  files: Files,
): SettingsOutcome {
  const { settings: file, servers: serversFile } = files;
  const declared = readDeclared(declaration, { file, environment }).values;
  const tokens = readTokensFile(declared.tokensFile, environment);
  const servers = readServersFile(serversFile ?? declared.serversFile, environment);
  // `REGISTRY_ADMIN_TOKEN` is a good name for a variable of the tokens file, and no misspelt setting.
  const own = variablesOf(declaration);
  const theirs = [...tokens.variables, ...servers.variables].filter((name) => !own.has(name));
  const ours = Object.entries(environment).filter(([name]) => !theirs.includes(name));
  const sources = { file, environment: Object.fromEntries(ours) };
  const check = (values: Values) => [
    ...settingsProblems(values),
    ...tokens.problems,
    ...servers.problems,
    ...strayServers(servers, tokens.tokens),
  ];
  const outcome = readService(declaration, sources, check, FIXED);
  // A file of servers takes the place of the settings on the command line, and its content matters as well.
  const named = serversFile === undefined ? [] : [serversFile];
  const all = [...new Set([...named, ...outcome.files, ...tokens.files, ...servers.files])];
  if (!outcome.ok) return { ...outcome, files: all };
  const { entries, notices } = servers;
  const settings = { ...outcome.settings, tokens: tokens.tokens, servers: entries, notices };
  return { ...outcome, settings, files: all };
}

/** Returns the problems of settings together, one sentence each. */
export function settingsProblems(values: Values): string[] {
  return [...serverTlsProblems(values), ...embedderProblems(values), ...accessProblems(values)];
}

/** Whether a file holds MCP servers, as agents write them, and no settings. */
function holdsServers(file = ''): boolean {
  const document = readDocument(readText(file).text);
  if (!document.ok || typeof document.value !== 'object' || document.value === null) return false;
  return Object.hasOwn(document.value, 'mcpServers') || Object.hasOwn(document.value, 'servers');
}

function accessProblems({ tokensFile, host }: Values): string[] {
  if (tokensFile !== '' || isLoopback(host)) return [];
  return [
    'tokens_file must be set when server.host can be reached from other machines: without it, every caller may change everything.',
  ];
}

/**
 * Reads the settings of the front door over stdio, which an agent starts in its own environment: tools are kept in memory
 * unless the environment says otherwise, the log is quiet, and variables of others that look like ours are passed over. Servers whose entries are wrong are left out
 * and named in `notices`, as long as one is right.
 */
export function readDoorSettings(
  serversFile: string,
  surrounding: Environment = process.env,
): SettingsOutcome {
  const own = variablesOf(DECLARATION);
  const isTaken = (name: string) => own.has(name) && name !== 'REGISTRY_MCP_SERVERS_FILE';
  const known = Object.entries(surrounding).filter(([name]) => isTaken(name));
  const builtIn = { 'sqlite.file': ':memory:' };
  const declaration = { ...DECLARATION, defaultFile: '', builtIn };
  const outcome = read(declaration, Object.fromEntries(known), {});
  const file = readServersFile(serversFile, surrounding);
  const problems = [
    ...(outcome.ok ? [] : outcome.problems),
    ...(file.entries.length === 0 ? [...file.problems, ...noServers(file, serversFile)] : []),
  ];
  if (!outcome.ok || problems.length > 0)
    return { ok: false, problems, file: undefined, files: outcome.files };
  const servers = file.entries.map((entry) => ({ ...entry, tenant: DEFAULT_TENANT }));
  const notices = [...file.problems, ...file.notices];
  return { ...outcome, settings: { ...outcome.settings, logLevel: 'warn', servers, notices } };
}

function noServers({ problems }: ServersFile, file: string): readonly string[] {
  return problems.length > 0 ? [] : [`${file} has no server in mcpServers.`];
}

/** The file of the front door's servers when none is named: among the user's other configurations. */
export function defaultConfigFile(environment: Environment = process.env): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'winnow', 'mcp.json');
}

function readTokensFile(file: string, environment: Environment) {
  const { text, problems } = readText(file);
  const variables = [...text.matchAll(/\$\{(?!file:)(\w+)/g)].map(([, name]) => name!);
  if (file === '' || problems.length > 0) return { tokens: [], problems, variables, files: [] };
  const read = readTokens(text, environment);
  return { ...read, problems: read.problems.map((one) => `${file}: ${one}`), variables };
}

function readServersFile(file: string, environment: Environment): ServersFile & { readonly file: string } {
  const { text, problems } = readText(file);
  if (file === '' || problems.length > 0)
    return { file, entries: [], problems, notices: [], variables: [], files: [] };
  const read = readServers(text, environment);
  return { ...read, file, problems: read.problems.map((one) => `${file}: ${one}`) };
}

/** The text of a file, with a problem where it cannot be read; empty where none is named. */
function readText(file: string): { readonly text: string; readonly problems: readonly string[] } {
  if (file === '') return { text: '', problems: [] };
  try {
    return { text: readFileSync(file, 'utf8'), problems: [] };
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return { text: '', problems: [`The file ${file} cannot be read (${code}).`] };
  }
}

/** Problems of servers of tenants without a token: no caller would ever see their tools. */
function strayServers(
  { file, entries }: ReturnType<typeof readServersFile>,
  tokens: readonly TokenSetting[],
): readonly string[] {
  const tenants = new Set(tokens.length === 0 ? [DEFAULT_TENANT] : tokens.map(({ tenant }) => tenant));
  return entries
    .filter(({ tenant }) => !tenants.has(tenant))
    .map(({ name, tenant }) => `${file}: the tenant ${tenant} of the server ${name} has no token.`);
}

/** The token with which a command asks a registry. */
export function readToken(environment: Environment = process.env): string | undefined {
  return environment.TOKEN;
}
