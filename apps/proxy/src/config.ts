import { readFileSync } from 'node:fs';
import { nearestName } from '@winnow/service';
import { readTracingSettings, type TracingSettings } from '@winnow/tracing';
import { type FileEntry, readConfigFile } from './config/config-file.ts';
import {
  NAMED_SETTINGS,
  type PROVIDER_SETTINGS,
  SETTINGS,
  type Setting,
  type UPSTREAM_SETTINGS,
  type ValuesOf,
} from './config/settings.ts';
import { parseRedisUrl } from './sessions/redis-url.ts';

/** The values of the settings with a fixed key, by key. */
export type Settings = ValuesOf<typeof SETTINGS>;
export type UpstreamSettings = ValuesOf<typeof UPSTREAM_SETTINGS>;
export type ProviderSettings = ValuesOf<typeof PROVIDER_SETTINGS>;

/** The whole configuration, read and checked. */
export interface Config {
  readonly settings: Settings;
  /** By name, in the order of the file, the built-in ones first. */
  readonly upstreams: Readonly<Record<string, UpstreamSettings>>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** Undefined when tracing is off. */
  readonly tracing: TracingSettings | undefined;
}

/** A configuration, or everything that is wrong with it, one sentence each. */
export type ConfigOutcome =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Where a configuration comes from. */
export interface ConfigSources {
  /** A file that must be there. Undefined: `winnow.yaml` in the working directory, if there is one. */
  readonly file?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The file that is read when none is named. */
export const DEFAULT_FILE = 'winnow.yaml';

/**
 * Reads the configuration: built-in values, then the file, then environment variables.
 *
 * Every key has a variable: `server.port` is `PROXY_SERVER_PORT`. Nothing is guessed: an unknown key or variable, a value that
 * is not allowed and a combination that cannot work are problems that name the key, where it stands and what is allowed. Tracing has no
 * keys but the standard variables of OpenTelemetry.
 */
export function readConfig({ file, environment = process.env }: ConfigSources): ConfigOutcome {
  const text = readText(file);
  if (text === undefined) return { ok: false, problems: [`The configuration file ${file} cannot be read.`] };
  const { entries, problems } = readConfigFile(text, environment);
  const values = new Values();
  for (const entry of BUILT_IN) values.take(entry);
  for (const entry of entries)
    values.take({ ...entry, origin: `Line ${entry.line}: ${entry.path.join('.')}` });
  for (const entry of environmentEntries(environment, values)) values.take(entry);
  const all = [...problems, ...values.problems];
  if (all.length === 0) all.push(...impossibleCombinations(values.config, values));
  const traced = readTracingSettings(environment);
  if (!traced.ok) all.push(...traced.problems);
  if (!traced.ok || all.length > 0) return { ok: false, problems: all };
  return { ok: true, config: { ...values.config, tracing: traced.tracing } };
}

/** The configuration as text, every setting by its key, secrets replaced by `***`. */
export function printConfig({ settings, upstreams, providers }: Config): string {
  const lines = Object.entries<Setting<unknown>>(SETTINGS).map(([key, one]) =>
    printLine(key, settings[key as keyof Settings], one),
  );
  for (const [family, named] of Object.entries({ upstreams, providers })) {
    for (const [name, values] of Object.entries(named)) {
      const table: Readonly<Record<string, Setting<unknown>>> = NAMED_SETTINGS[family as Family];
      for (const [field, value] of Object.entries(values)) {
        lines.push(printLine(`${family}.${name}.${field}`, value, table[field]!));
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The environment variable of a key: `server.port` is `PROXY_SERVER_PORT`. */
export function variableOf(key: string): string {
  return `${PREFIX}${key.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;
}

const PREFIX = 'PROXY_';

type Family = keyof typeof NAMED_SETTINGS;
const FAMILIES = Object.keys(NAMED_SETTINGS) as Family[];

/** A value on its way to its setting; `origin` begins the sentence that says what is wrong with it. */
type Given = Omit<FileEntry, 'line'> & { readonly origin: string };

const builtIn = (path: readonly string[], value: unknown): Given => ({ path, value, origin: path.join('.') });

/** What a fresh machine can start with: no keys needed, the selector where `npm start` puts it. */
const BUILT_IN: readonly Given[] = [
  builtIn(['upstreams', 'openai', 'base_url'], 'https://api.openai.com'),
  builtIn(['upstreams', 'openai', 'format'], 'openai'),
  builtIn(['upstreams', 'anthropic', 'base_url'], 'https://api.anthropic.com'),
  builtIn(['upstreams', 'anthropic', 'format'], 'anthropic'),
  builtIn(['providers', 'selector', 'endpoint'], 'http://127.0.0.1:8788/v1/tool-discovery/search'),
];

/** Upstream names are the first segment of a path; `v1` and the like would shadow the providers' own paths. */
const NAME = /^[a-z][a-z0-9-]*$/;
const RESERVED_NAMES = ['v1', 'v1beta', 'openai-v1'];

/** Collects values, later ones over earlier ones. */
class Values {
  readonly problems: string[] = [];
  readonly config: {
    settings: Settings;
    upstreams: Record<string, UpstreamSettings>;
    providers: Record<string, ProviderSettings>;
  } = { settings: defaultsOf(SETTINGS), upstreams: {}, providers: {} };
  readonly #given = new Map<string, string>();

  /** Where a key was set, other than by the built-in values. */
  originOf(key: string): string | undefined {
    const origin = this.#given.get(key);
    return origin === key ? undefined : origin;
  }

  take({ path, value, origin }: Given): void {
    const target = this.#target(path, origin, value === undefined);
    // A key without a value, such as `always_keep:` at the end of a line, leaves what stands.
    if (!target || value === undefined) return;
    const result = target.setting.schema.safeParse(value);
    // The value is not repeated: it may be a secret in the wrong place.
    if (!result.success) {
      this.problems.push(`${origin} must be ${target.setting.allowed}.`);
      return;
    }
    this.#given.set(path.join('.'), origin);
    target.values[target.field] = result.data;
  }

  #target(path: readonly string[], origin: string, isEmpty: boolean) {
    const key = path.join('.');
    const [family, name, field] = path;
    const table = FAMILIES.find((one) => one === family);
    if (table !== undefined && name !== undefined && (field !== undefined || isEmpty)) {
      return this.#namedTarget(table, name, path.slice(2).join('.'), origin);
    }
    if (Object.hasOwn(SETTINGS, key)) {
      const setting: Setting<unknown> = SETTINGS[key as keyof Settings];
      return { setting, values: this.config.settings as Record<string, unknown>, field: key };
    }
    // An empty section, such as `redis:` with everything below it commented out, sets nothing.
    if (isEmpty && KNOWN_KEYS.some((known) => known === key || known.startsWith(`${key}.`))) return undefined;
    this.problems.push(`${origin} is not a setting; the nearest one is ${nearestName(key, KNOWN_KEYS)}.`);
    return undefined;
  }

  #namedTarget(family: Family, name: string, field: string, origin: string) {
    if (!NAME.test(name) || RESERVED_NAMES.includes(name)) {
      this.problems.push(
        `${origin}: a name in \`${family}\` must be small letters, digits and -, and none of ${RESERVED_NAMES.join(', ')}.`,
      );
      return undefined;
    }
    const table: Readonly<Record<string, Setting<unknown>>> = NAMED_SETTINGS[family];
    const named: Record<string, object> = this.config[family];
    named[name] ??= defaultsOf(table);
    if (field === '') return undefined;
    const setting = table[field];
    if (setting) return { setting, values: named[name] as Record<string, unknown>, field };
    this.problems.push(
      `${origin} is not a setting; of ${family}.${name} there are ${Object.keys(table).join(', ')}, ` +
        `the nearest one is ${nearestName(field, Object.keys(table))}.`,
    );
    return undefined;
  }
}

const KNOWN_KEYS: readonly string[] = [
  ...Object.keys(SETTINGS),
  ...FAMILIES.flatMap((family) =>
    Object.keys(NAMED_SETTINGS[family]).map((field) => `${family}.NAME.${field}`),
  ),
];

function defaultsOf<Table extends Readonly<Record<string, Setting<unknown>>>>(table: Table): ValuesOf<Table> {
  return Object.fromEntries(Object.entries(table).map(([key, one]) => [key, one.default])) as ValuesOf<Table>;
}

function readText(file: string | undefined): string | undefined {
  try {
    return readFileSync(file ?? DEFAULT_FILE, 'utf8');
  } catch {
    // Only a file that somebody named must be there.
    return file === undefined ? '' : undefined;
  }
}

/** What Kubernetes and Docker set for a service called "proxy", without being asked. */
const SERVICE_LINK = /^PROXY_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)?)$/;

function* environmentEntries(
  environment: Readonly<Record<string, string | undefined>>,
  values: Values,
): Generator<Given> {
  const byVariable = new Map(Object.keys(SETTINGS).map((key) => [variableOf(key), key.split('.')]));
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || SERVICE_LINK.test(variable)) continue;
    const path = byVariable.get(variable) ?? namedPathOf(variable, values.config);
    if (path) yield { path, value: value === '' ? undefined : value, origin: variable };
    else {
      const nearest = nearestName(variable, [...byVariable.keys()]);
      values.problems.push(`${variable} is not a setting; the nearest one is ${nearest}.`);
    }
  }
}

/** `PROXY_UPSTREAMS_MY_HOST_BASE_URL` sets `base_url` of the upstream `my-host`, which need not stand in the file. */
function namedPathOf(variable: string, config: Values['config']): string[] | undefined {
  for (const family of FAMILIES) {
    const prefix = variableOf(`${family}.`);
    for (const field of Object.keys(NAMED_SETTINGS[family])) {
      const suffix = `_${field.toUpperCase()}`;
      if (!variable.startsWith(prefix) || !variable.endsWith(suffix)) continue;
      const spelt = variable.slice(prefix.length, -suffix.length);
      if (spelt === '') continue;
      const known = Object.keys(config[family]).find((name) => variableOf(name) === variableOf(spelt));
      return [family, known ?? spelt.toLowerCase().replaceAll('_', '-'), field];
    }
  }
  return undefined;
}

function impossibleCombinations(
  { settings, upstreams, providers }: Values['config'],
  values: Values,
): string[] {
  const problems: string[] = [];
  const named = (family: Family, name: string) => `${family}.${name}`;
  for (const [name, { base_url }] of Object.entries(upstreams)) {
    if (base_url === '') problems.push(`${named('upstreams', name)}.base_url must be set.`);
    if (!BUILT_IN_UPSTREAMS.includes(name) && !values.originOf(`upstreams.${name}.format`)) {
      problems.push(`${named('upstreams', name)}.format must be set: openai or anthropic.`);
    }
  }
  problems.push(...sessionProblems(settings));
  const provider = settings['pipes.tool_discovery.provider'];
  const origin = values.originOf('pipes.tool_discovery.provider');
  if (provider !== '' && !Object.hasOwn(providers, provider)) {
    const nearest = nearestName(provider, Object.keys(providers));
    problems.push(`${origin} must be the name of one of \`providers\`; the nearest one is ${nearest}.`);
  }
  if (origin && provider !== '' && settings['pipes.tool_discovery.api.endpoint'] !== '') {
    problems.push(
      `${origin} and pipes.tool_discovery.api.endpoint both say whom to ask: leave one of them out.`,
    );
  }
  const [least, most] = [
    settings['pipes.tool_discovery.min_tools'],
    settings['pipes.tool_discovery.max_tools'],
  ];
  if (least > most) {
    problems.push('pipes.tool_discovery.min_tools must be at most pipes.tool_discovery.max_tools.');
  }
  return problems;
}

/** Sessions that are shared need a place, and a secret that is shared as well. Problems never quote the URL: it may hold a password. */
function sessionProblems(settings: Settings): string[] {
  const url = settings['redis.url'];
  const problems: string[] = [];
  if (settings['sessions.store'] === 'redis') {
    if (url === '') problems.push('redis.url must be set, as sessions.store is redis.');
    if (settings['sessions.secret'] === '') {
      problems.push(
        'sessions.secret must be set, as sessions.store is redis: the same long random text for all proxies.',
      );
    }
  }
  const parsed = parseRedisUrl(url);
  if (url !== '' && !parsed.ok) problems.push(`redis.url ${parsed.problem}.`);
  const hasTlsFile = (['ca_file', 'cert_file', 'key_file'] as const).some(
    (file) => settings[`redis.${file}`] !== '',
  );
  if (url !== '' && parsed.ok && hasTlsFile && !parsed.address.isTls) {
    problems.push(
      'redis.url must begin with rediss, as certificates are set: without TLS they are of no use.',
    );
  }
  return problems;
}

const BUILT_IN_UPSTREAMS = ['openai', 'anthropic'];

function printLine(key: string, value: unknown, { isSecret }: Setting<unknown>): string {
  if (isSecret) return `${key}: ${value === '' ? '(not set)' : '***'}`;
  return `${key}: ${JSON.stringify(value)}`;
}
