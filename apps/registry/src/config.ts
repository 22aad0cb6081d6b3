import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { embedderProblems, embedderSettings } from '@winnow/embeddings';
import { DISPATCH_MODES, readServers, type ServerEntry, type ServersFile } from '@winnow/mcp';
import { type AlwaysLoaded, BACKEND_KINDS, type BackendKind } from '@winnow/registry';
import {
  defaultsOf,
  type Environment,
  fromVariable,
  isLoopback,
  readVariables,
  serverTlsProblems,
  setting,
  type ValuesOf,
} from '@winnow/service';
import { readTracingSettings, type TracingSettings } from '@winnow/tracing';
import { z } from 'zod';
import { DEFAULT_TENANT } from './http/callers.ts';
import { readTokens, type TokenSetting } from './read-tokens.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STORES = ['memory', 'sqlite', 'postgres'] as const;

const ANY = Number.POSITIVE_INFINITY;
/** The longest time that Node's timers can wait. */
const LONGEST_MS = 2 ** 31 - 1;
const MIB = 2 ** 20;

/** A list of backend kinds, each once; those that are left out come last. */
const backendOrder = setting.of<readonly BackendKind[]>(
  z
    .string()
    .transform((text) => text.split(',').map((kind) => kind.trim()))
    .pipe(z.array(z.enum(['local', 'provider', 'mcp'])))
    .refine((kinds) => new Set(kinds).size === kinds.length) as z.ZodType<readonly BackendKind[]>,
  BACKEND_KINDS,
  'a comma-separated list of local, provider and mcp, each at most once',
);

/** `auto`, `auto:N` for the N most called tools, a list of ids or model names, or `none`. */
const alwaysLoaded = setting.of<AlwaysLoaded>(
  z.string().transform((text, context): AlwaysLoaded => {
    const [isAuto, count = '5'] = /^auto(?::(10|[1-9]))?$/.exec(text) ?? [];
    if (isAuto !== undefined) return { mostCalled: Number(count) };
    if (text === 'none') return [];
    const names = text.split(',').map((name) => name.trim());
    if (names.every((name) => /^[A-Za-z0-9_.:-]+$/.test(name) && !/^auto:/.test(name))) return names;
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  }) as z.ZodType<AlwaysLoaded>,
  { mostCalled: 5 },
  'auto, auto:1 to auto:10, none, or a comma-separated list of ids or model names',
);

/** Unless it is set: what the store is made for. */
const maxTools = setting.of<number | undefined>(
  setting.wholeNumber(1, ANY, 1).schema,
  undefined,
  'a whole number from 1',
);

/** Every setting: the one place of names, defaults and bounds. `docs/reference/registry-settings.md` says what each is for. */
export const SETTINGS = {
  host: fromVariable('HOST', setting.text(z.string().min(1), '127.0.0.1', 'an address to listen on')),
  port: fromVariable('PORT', setting.wholeNumber(0, 65_535, 8789)),
  tlsCertFile: fromVariable('TLS_CERT_FILE', setting.pemFile()),
  tlsKeyFile: fromVariable('TLS_KEY_FILE', setting.pemFile()),
  tlsClientCaFile: fromVariable('TLS_CLIENT_CA_FILE', setting.pemFile()),
  logLevel: fromVariable('LOG_LEVEL', setting.oneOf(LOG_LEVELS, 'info')),
  store: fromVariable('REGISTRY_STORE', setting.oneOf(STORES, 'sqlite')),
  sqliteFile: fromVariable(
    'REGISTRY_SQLITE_FILE',
    setting.text(z.string().min(1), './data/registry.sqlite', 'the path of a file'),
  ),
  postgresUrl: fromVariable(
    'REGISTRY_POSTGRES_URL',
    setting.secretText(
      z.string().regex(/^postgres(ql)?:\/\/./),
      'an address such as postgres://user:password@host:5432/database',
    ),
  ),
  tokensFile: fromVariable('REGISTRY_TOKENS_FILE', setting.file('')),
  configFile: fromVariable('REGISTRY_CONFIG_FILE', setting.file('')),
  maxTools: fromVariable('REGISTRY_MAX_TOOLS', maxTools),
  backendOrder: fromVariable('REGISTRY_BACKEND_ORDER', backendOrder),
  alwaysLoaded: fromVariable('REGISTRY_ALWAYS_LOADED', alwaysLoaded),
  ...embedderSettings('REGISTRY'),
  mcpDispatch: fromVariable('REGISTRY_MCP_DISPATCH', setting.oneOf(DISPATCH_MODES, 'single')),
  mcpMaxCalls: fromVariable('REGISTRY_MCP_MAX_CALLS', setting.wholeNumber(1, ANY, 128)),
  maxBodyBytes: fromVariable('REGISTRY_MAX_BODY_BYTES', setting.wholeNumber(1, 2 ** 30, 32 * MIB)),
  maxWaiting: fromVariable('REGISTRY_MAX_WAITING', setting.wholeNumber(1, ANY, 128)),
  maxHeldBytes: fromVariable('REGISTRY_MAX_HELD_BYTES', setting.wholeNumber(1, ANY, 256 * MIB)),
  maxFollowers: fromVariable('REGISTRY_MAX_FOLLOWERS', setting.wholeNumber(0, ANY, 256)),
  requestTimeoutMs: fromVariable('REGISTRY_REQUEST_TIMEOUT_MS', setting.wholeNumber(1, LONGEST_MS, 30_000)),
  keepAliveTimeoutMs: fromVariable(
    'REGISTRY_KEEP_ALIVE_TIMEOUT_MS',
    setting.wholeNumber(1, LONGEST_MS, 65_000),
  ),
  drainDelayMs: fromVariable('REGISTRY_DRAIN_DELAY_MS', setting.wholeNumber(0, LONGEST_MS, 0)),
  drainTimeoutMs: fromVariable('REGISTRY_DRAIN_TIMEOUT_MS', setting.wholeNumber(0, LONGEST_MS, 10_000)),
} as const;

/** The settings, read and checked, and what the files hold that they name. */
export type Settings = ValuesOf<typeof SETTINGS> & {
  readonly tokens: readonly TokenSetting[];
  readonly servers: readonly ServerEntry[];
  /** What the configuration file says to other programs. */
  readonly notices: readonly string[];
};

/** Settings, or everything that is wrong with them: one sentence each, which names the variable and what is allowed. */
export type SettingsOutcome =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** Undefined when tracing is off. */
      readonly tracing: TracingSettings | undefined;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What stands when the environment says nothing. */
export const DEFAULT_SETTINGS: Settings = { ...defaultsOf(SETTINGS), tokens: [], servers: [], notices: [] };

/**
 * Reads the settings from environment variables, and the tokens from the file that they name.
 *
 * @param configFile stands in place of the variable that names one.
 *
 * Nothing is guessed: a value that is not allowed, a combination that cannot work, and a `REGISTRY_` or `WINNOW_` variable that does
 * not exist are problems. Without tokens whoever reaches the service may do everything, so that it listens on loopback alone.
 */
export function readSettings(
  surrounding: Environment = process.env,
  configFile: string | undefined = undefined,
): SettingsOutcome {
  const environment =
    configFile === undefined ? surrounding : { ...surrounding, [SETTINGS.configFile.variable]: configFile };
  const tokens = readTokensFile(environment[SETTINGS.tokensFile.variable] ?? '', environment);
  const file = readServersFile(environment[SETTINGS.configFile.variable] ?? '', environment);
  const variables = [...tokens.variables, ...file.variables];
  const { values, problems: wrong } = readVariables(SETTINGS, without(variables, environment), {
    service: 'REGISTRY',
    product: 'WINNOW',
  });
  const problems = [
    ...wrong,
    ...serverTlsProblems(values),
    ...embedderProblems({ embedder: 'REGISTRY_EMBEDDER', embedderKey: 'REGISTRY_EMBEDDER_KEY' }, values),
    ...tokens.problems,
    ...file.problems,
  ];
  problems.push(...strayServers(file.entries, tokens.tokens));
  if (values.store === 'postgres' && values.postgresUrl === '') {
    problems.push('REGISTRY_POSTGRES_URL must be set when REGISTRY_STORE is postgres.');
  }
  if (values.tokensFile === '' && !isLoopback(values.host)) {
    problems.push(
      'REGISTRY_TOKENS_FILE must be set when HOST can be reached from other machines: without it, everybody may change everything.',
    );
  }
  const traced = readTracingSettings(environment);
  if (!traced.ok) problems.push(...traced.problems);
  if (!traced.ok || problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    settings: { ...values, tokens: tokens.tokens, servers: file.entries, notices: file.notices },
    tracing: traced.tracing,
  };
}

/**
 * Reads the settings of the front door over stdio, which an agent starts in its own environment: tools are kept in memory and the log is quiet
 * unless the environment says otherwise, and variables of others that look like ours are passed over. Servers whose entries are wrong are left out
 * and named in `notices`, as long as one is right.
 */
export function readDoorSettings(
  configFile: string,
  surrounding: Environment = process.env,
): SettingsOutcome {
  const known = Object.values(SETTINGS).flatMap(({ variable }) => {
    const value = surrounding[variable];
    return value === undefined || variable === SETTINGS.configFile.variable
      ? []
      : [[variable, value] as const];
  });
  const defaults = { [SETTINGS.store.variable]: 'memory', [SETTINGS.logLevel.variable]: 'warn' };
  const outcome = readSettings({ ...defaults, ...Object.fromEntries(known) });
  const read = readServersFile(configFile, surrounding);
  const file = {
    ...read,
    problems: read.problems.map((one) => one.replace(SETTINGS.configFile.variable, '--config')),
  };
  const problems = [
    ...(outcome.ok ? [] : outcome.problems),
    ...(file.entries.length === 0 ? [...file.problems, ...noServers(file, configFile)] : []),
  ];
  if (!outcome.ok || problems.length > 0) return { ok: false, problems };
  const servers = file.entries.map((entry) => ({ ...entry, tenant: DEFAULT_TENANT }));
  const notices = [...file.problems, ...file.notices];
  return { ...outcome, settings: { ...outcome.settings, servers, notices } };
}

function noServers({ problems }: ServersFile, file: string): readonly string[] {
  return problems.length > 0 ? [] : [`${file} has no server in mcpServers.`];
}

/** Where the front door's servers are kept when nobody says: among the user's other configurations. */
export function defaultConfigFile(environment: Environment = process.env): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'winnow', 'mcp.json');
}

interface TokensFile extends ReturnType<typeof readTokens> {
  /** Environment variables that the file refers to. */
  readonly variables: readonly string[];
}

function readTokensFile(file: string, environment: Environment): TokensFile {
  if (file === '') return { tokens: [], problems: [], variables: [] };
  try {
    const text = readFileSync(file, 'utf8');
    const variables = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    return { ...readTokens(text, environment), variables };
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const problems = [`REGISTRY_TOKENS_FILE must name a file that can be read (${code}).`];
    return { tokens: [], problems, variables: [] };
  }
}

function readServersFile(file: string, environment: Environment): ServersFile {
  const nothing = { entries: [], problems: [], notices: [], variables: [] };
  if (file === '') return nothing;
  try {
    const read = readServers(readFileSync(file, 'utf8'), environment);
    return { ...read, problems: read.problems.map((problem) => `REGISTRY_CONFIG_FILE: ${problem}`) };
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return { ...nothing, problems: [`REGISTRY_CONFIG_FILE must name a file that can be read (${code}).`] };
  }
}

/** Servers of tenants that nobody belongs to: nobody would ever see their tools. */
function strayServers(entries: readonly ServerEntry[], tokens: readonly TokenSetting[]): readonly string[] {
  const tenants = new Set(tokens.length === 0 ? [DEFAULT_TENANT] : tokens.map(({ tenant }) => tenant));
  return entries
    .filter(({ tenant }) => !tenants.has(tenant))
    .map(
      ({ name, tenant }) => `REGISTRY_CONFIG_FILE: the tenant ${tenant} of the server ${name} has no token.`,
    );
}

/** The environment without variables that are the tokens file's: `REGISTRY_ADMIN_TOKEN` is a good name for one, and no misspelt setting. */
function without(variables: readonly string[], environment: Environment): Environment {
  const settings = Object.values(SETTINGS).map(({ variable }) => variable as string);
  const isForTokens = (name: string) => variables.includes(name) && !settings.includes(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isForTokens(name)));
}

/** The token with which a command asks a registry. */
export function readToken(environment: Environment = process.env): string | undefined {
  return environment.TOKEN;
}
