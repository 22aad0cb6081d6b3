import { embedderProblems } from '@winnow/embeddings';
import {
  isLoopback,
  parseRedisUrl,
  printSettings,
  type ReadSettings,
  readSettings,
  readTracingSettings,
  type ServerTlsFiles,
  type SettingsSources,
  serverTlsProblems,
  spendersOf,
  type TracingSettings,
  type ValuesOf,
} from '@winnow/service';
import { PATH_ROOTS, VENDOR_NAMES, VENDORS } from '@winnow/wire';
import { type ProfileSettings, unreachableProfiles } from './profiles.ts';
import { BRIDGE_TOOL_NAME, NAMED_SETTINGS, SETTINGS, type UPSTREAM_SETTINGS } from './settings.ts';
import { type AwsEnvironment, authProblems, readAwsEnvironment } from './upstream-settings.ts';

/** The values of the settings with a fixed key, by key. */
export type Settings = ValuesOf<typeof SETTINGS>;
export type UpstreamSettings = ValuesOf<typeof UPSTREAM_SETTINGS>;

/** The complete configuration, parsed and validated. */
export interface Config {
  readonly settings: Settings;
  /** By name: built-in upstreams first, then those of the file in its order. */
  readonly upstreams: Readonly<Record<string, UpstreamSettings>>;
  /** By name, in the order in which they are tried. */
  readonly profiles: Readonly<Record<string, ProfileSettings>>;
  /** Undefined if tracing is off. */
  readonly tracing: TracingSettings | undefined;
  readonly aws: AwsEnvironment;
}

/** A configuration, or all of its problems, one sentence each. */
type ConfigOutcome =
  | {
      readonly ok: true;
      readonly config: Config;
      /** Settings that have no effect, one sentence each. */
      readonly warnings: readonly string[];
      /**
       * Writes the configuration as a file that can be read again. Secrets are replaced by the variables that
       * hold them.
       */
      readonly print: () => string;
      /** Every file whose content matters, the settings' own first. */
      readonly files: readonly string[];
    }
  | {
      readonly ok: false;
      readonly problems: readonly string[];
      /** The file that was read; undefined if there is none. */
      readonly file: string | undefined;
      readonly files: readonly string[];
    };

/**
 * The sources of a configuration: a file that must exist, or by default `winnow.yaml` in the working
 * directory if it exists.
 */
interface ConfigSources extends Partial<SettingsSources> {
  /** Values that replace or extend the built-in ones, by key. */
  readonly builtIn?: Readonly<Record<string, string>>;
}

/**
 * Reads the configuration: built-in values, then the file, then environment variables.
 *
 * Every key has a variable: `server.port` is `PROXY_SERVER_PORT`. Nothing is guessed: unknown keys and
 * variables, invalid values and impossible combinations are problems. Each names the key, its location and
 * the allowed values. Tracing has no keys, only the standard variables of OpenTelemetry.
 */
export function readConfig({ file, environment = process.env, builtIn }: ConfigSources): ConfigOutcome {
  const declaration = { ...DECLARATION, builtIn: { ...DECLARATION.builtIn, ...builtIn } };
  const read = readSettings(declaration, { file, environment });
  const aws = readAwsEnvironment(environment);
  const problems = [...read.problems];
  if (problems.length === 0) problems.push(...impossibleCombinations(read, declaration.builtIn, aws));
  const traced = readTracingSettings(environment);
  if (!traced.ok) problems.push(...traced.problems);
  if (!traced.ok || problems.length > 0) return { ok: false, problems, file: read.file, files: read.files };
  const config: Config = {
    settings: read.values,
    upstreams: opened(read).members.upstreams,
    profiles: read.members.profiles,
    tracing: traced.tracing,
    aws,
  };
  const print = () => printSettings(DECLARATION, opened(read));
  const unreachable = unreachableProfiles(config.profiles, {
    upstreams: Object.keys(config.upstreams),
    tokens: clientTokens(config.settings['server.tokens']).flatMap(({ name }) => name ?? []),
  });
  return {
    ok: true,
    config,
    warnings: unreachable,
    print,
    files: read.files,
  };
}

/** The declaration of all settings: names, sources and built-in values. */
export const DECLARATION = {
  table: SETTINGS,
  families: NAMED_SETTINGS,
  /** An upstream's name is the first segment of a path. These names would shadow the providers' own paths. */
  reservedNames: [...PATH_ROOTS, 'openai-v1'],
  /** Values that let a fresh machine start, without keys. */
  builtIn: {
    ...Object.fromEntries(
      VENDORS.flatMap(({ name, baseUrl }) => [
        [`upstreams.${name}.base_url`, baseUrl],
        [`upstreams.${name}.format`, name],
      ]),
    ),
  },
  prefix: 'PROXY',
  defaultFile: 'winnow.yaml',
  synonyms: { 'pipes.tool_discovery': 'tools' },
} as const;

type ReadConfig = ReadSettings<typeof SETTINGS, typeof NAMED_SETTINGS>;

/** Returns the configuration with each upstream mapped. */
function mapUpstreams<Read extends ReadConfig>(
  read: Read,
  change: (upstream: UpstreamSettings, name: string) => UpstreamSettings,
): Read {
  const upstreams = Object.entries(read.members.upstreams).map(
    ([name, upstream]) => [name, change(upstream, name)] as const,
  );
  return { ...read, members: { ...read.members, upstreams: Object.fromEntries(upstreams) } };
}

function impossibleCombinations(
  { values: settings, members, originOf }: ReadConfig,
  builtIn: Readonly<Record<string, string>>,
  aws: AwsEnvironment,
): string[] {
  const { upstreams } = members;
  const problems: string[] = [];
  for (const [name, upstream] of Object.entries(upstreams)) {
    problems.push(...authProblems(name, upstream, aws));
    if (upstream.base_url === '') problems.push(`upstreams.${name}.base_url must be set.`);
    if (!(`upstreams.${name}.format` in builtIn) && !originOf(`upstreams.${name}.format`)) {
      problems.push(`upstreams.${name}.format must be set: one of ${VENDOR_NAMES.join(', ')}.`);
    }
  }
  problems.push(...sessionProblems(settings), ...accessProblems(settings, upstreams));
  problems.push(...serverTlsProblems(tlsFilesOf(settings)));
  for (const origin of settings['server.allowed_origins'].filter((text) => !ORIGIN.test(text))) {
    problems.push(`server.allowed_origins must be origins, such as https://chat.example.com: not ${origin}.`);
  }
  problems.push(
    ...embedderProblems({
      embedder: settings['embedder.address'],
      embedderKey: settings['embedder.api_key'],
    }),
  );
  if (settings['tools.search_tool_name'] === BRIDGE_TOOL_NAME) {
    problems.push(`tools.search_tool_name must not be ${BRIDGE_TOOL_NAME}, the name of the bridge tool.`);
  }
  const [least, most] = [settings['tools.min_tools'], settings['tools.max_tools']];
  if (least > most) {
    problems.push('tools.min_tools must be at most tools.max_tools.');
  }
  return problems;
}

/** Returns the paths of the proxy's own certificate. */
export function tlsFilesOf(settings: Settings): ServerTlsFiles {
  return {
    tlsFolder: settings['server.tls_folder'],
    tlsClientCaFile: settings['server.client_ca_file'],
  };
}

/** An origin as browsers write it: without a path, a slash at its end or a wildcard, which would never match. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*]+$/i;

/**
 * Returns the configuration with unconfigured upstreams on this machine disabled if other machines can reach
 * the proxy.
 */
function opened<Read extends ReadConfig>(read: Read): Read {
  if (isLoopback(read.values['server.host'])) return read;
  return mapUpstreams(read, (upstream, name) => {
    const isSet = Object.keys(upstream).some((field) => read.originOf(`upstreams.${name}.${field}`));
    const isOpen = isSet || !isLoopback(new URL(upstream.base_url).hostname);
    return isOpen ? upstream : { ...upstream, enabled: false };
  });
}

/**
 * Returns a problem if the proxy holds a key that requests spend, other machines can reach it, and no access
 * rule exists.
 */
export function accessProblems(
  settings: Settings,
  upstreams: Readonly<Record<string, UpstreamSettings>>,
): string[] {
  const isOpen =
    settings['server.tokens'].length === 0 &&
    settings['server.allowed_hosts'].length === 0 &&
    settings['server.client_ca_file'] === undefined;
  const held = heldKeys(settings, upstreams);
  if (held.length === 0 || !isOpen || isLoopback(settings['server.host'])) return [];
  return [
    `server.tokens, server.allowed_hosts or server.client_ca_file must be set because server.host is not a loopback address and ${held.join(' and ')}: any client that reaches the proxy could use the key.`,
  ];
}

function heldKeys(settings: Settings, upstreams: Readonly<Record<string, UpstreamSettings>>): string[] {
  const spenders = spendersOf(SETTINGS, settings);
  const hasKey = Object.values(upstreams).some(
    ({ api_key, auth, enabled }) => enabled && (api_key !== '' || auth.kind === 'sigv4'),
  );
  return [
    ...(hasKey ? ['an upstream has an api_key or signs'] : []),
    ...(spenders.has('every_request') ? ['embedder.api_key is set'] : []),
  ];
}

/**
 * Returns the problems of shared sessions: they need a shared secret. Problems never quote the URL, which may hold
 * a password.
 */
function sessionProblems({ 'redis.url': url, 'sessions.secret': secret }: Settings): string[] {
  if (url === '') return [];
  const problems: string[] = [];
  if (secret === '') {
    problems.push(
      'sessions.secret must be set because redis.url is: the same long random text for all proxies.',
    );
  }
  const parsed = parseRedisUrl(url);
  if (!parsed.ok) problems.push(`redis.url ${parsed.problem}.`);
  return problems;
}

/** A client's token, with its name if the operator has given one. */
interface ClientToken {
  readonly name: string | undefined;
  readonly token: string;
}

/** Parses the values of `server.tokens`, written as `TOKEN` or `NAME:TOKEN`. */
export function clientTokens(texts: readonly string[]): ClientToken[] {
  return texts.map((text) => {
    const [, name, token] = /^(?:([^:]*):)?(.*)$/.exec(text)!;
    return { name, token: token! };
  });
}
