// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how agents write variables.
import { isJsonObject, type JsonObject } from '@winnow/registry';

/** An entry with the keys of the front door's own configuration, and the keys that it has no use for. */
export interface PlainEntry {
  readonly entry: JsonObject;
  /** A dropped key, and its remedy. */
  readonly dropped: readonly { readonly key: string; readonly remedy: string }[];
}

const APPROVAL = 'approve call_tool in your agent instead';
const TIMES = 'set timeouts, such as { "call": "60s" }';
const NOTHING = 'nothing depends on it here';

/**
 * Keys of agents without a counterpart, each with its remedy.
 *
 * Sources: the `source` of each of `AGENTS`.
 */
const REMEDIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['autoApprove', 'alwaysAllow', 'default_tools_approval_mode'].map((key) => [key, APPROVAL]),
  ),
  ...Object.fromEntries(
    ['timeout', 'networkTimeout', 'startup_timeout_sec', 'startup_timeout_ms', 'tool_timeout_sec'].map(
      (key) => [key, TIMES],
    ),
  ),
  ...Object.fromEntries(
    ['alwaysLoad', 'description', 'gallery', 'version', 'dev', 'icon', 'required', 'note'].map((key) => [
      key,
      NOTHING,
    ]),
  ),
  sandbox: 'start the command in a sandbox',
  sandboxEnabled: 'start the command in a sandbox',
  envFile: 'write its variables into env',
  headersHelper: 'write the header into headers, with ${NAME} or ${file:PATH}',
  oauth: 'use auth with client_credentials, or a token in headers',
  authProviderType: 'use auth with client_credentials, or a token in headers',
  scopes: 'use auth with a scope',
};

const textsIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;

/**
 * Reads an entry as any agent writes it, for imports and configurations alike. What an agent keeps from use stays
 * out of use: a list of tools that cannot be read leaves the server switched off.
 */
export function toPlainEntry(written: JsonObject): PlainEntry {
  const {
    tools,
    includeTools,
    enabled_tools,
    excludeTools,
    disabledTools,
    disabled_tools,
    disabled,
    serverUrl,
    httpUrl,
    ...rest
  } = written;
  const lists = [tools, includeTools, enabled_tools, excludeTools, disabledTools, disabled_tools].filter(
    (list) => list !== undefined && list !== null,
  );
  const isUnclear = lists.some((list) => textsIn(list) === undefined);
  const allowed = [tools, includeTools, enabled_tools, written.include]
    .map(textsIn)
    .filter((names) => names !== undefined && !names.includes('*'));
  const excluded = [excludeTools, disabledTools, disabled_tools].flatMap((list) => textsIn(list) ?? []);
  const isOff = isUnclear || disabled === true;
  const address = rest.url ?? serverUrl ?? httpUrl;
  const keys = Object.keys(rest).filter((key) => isDropped(key, rest[key]));
  const entry = {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !keys.includes(key))),
    ...(address !== undefined && { url: address }),
    // Several lists allow what all of them do.
    ...(allowed.length > 0 && {
      include: allowed.reduce((both, one) => both!.filter((name) => one!.includes(name))),
    }),
    ...(excluded.length > 0 && { exclude: [...(textsIn(rest.exclude) ?? []), ...excluded] }),
    ...(isOff ? { enabled: false } : typeof disabled === 'boolean' || disabled == null ? {} : { disabled }),
  };
  const dropped = keys.map((key) => ({ key, remedy: REMEDIES[key] ?? APPROVAL }));
  const unclear = { key: 'tools', remedy: 'write a list of names as include; until then the server is off' };
  return { entry: entry as JsonObject, dropped: isUnclear ? [...dropped, unclear] : dropped };
}

function isDropped(key: string, value: unknown): boolean {
  if (value === null) return false;
  // As Gemini CLI has it; as a text it is a key of our own.
  return Object.hasOwn(REMEDIES, key) || (key === 'trust' && typeof value === 'boolean');
}

/** Settings besides the entries that keep servers or tools from use. */
export interface SwitchedOff {
  /** Whether a whole server is off. */
  isOff(server: string): boolean;
  /** Globs of the server's own names of tools that are off. */
  excludedOf(server: string): readonly string[];
}

/**
 * Reads what a document of an agent switches off outside of its entries: lists of servers of Claude Code and Gemini CLI,
 * and `tools` of opencode, whose names begin with that of the server.
 */
export function switchedOffIn(document: JsonObject): SwitchedOff {
  const mcp = isJsonObject(document.mcp) ? document.mcp : {};
  const { projects } = document;
  const places = [document, ...(isJsonObject(projects) ? Object.values(projects) : [])].filter(isJsonObject);
  const off = new Set(
    [
      ...places.flatMap((place) => [place.disabledMcpServers, place.disabledMcpjsonServers]),
      document.excludeMCPServers,
      mcp.excluded,
    ].flatMap((list) => textsIn(list) ?? []),
  );
  const only = textsIn(mcp.allowed) ?? textsIn(document.allowMCPServers);
  const tools = [document.tools, document.permission].flatMap((rules) =>
    isJsonObject(rules)
      ? Object.entries(rules).flatMap(([glob, rule]) => (rule === false || rule === 'deny' ? [glob] : []))
      : [],
  );
  const denied = isJsonObject(document.permissions) ? (textsIn(document.permissions.deny) ?? []) : [];
  return {
    isOff: (server) =>
      off.has(server) || (only !== undefined && !only.includes(server)) || denied.includes(`mcp__${server}`),
    excludedOf: (server) => [
      ...tools.flatMap((glob) => globsOf(glob, `${server}_`)),
      ...denied.flatMap((glob) => globsOf(glob, `mcp__${server}__`)),
    ],
  };
}

/** Returns the globs of a server's own names that a glob of prefixed names stands for; rather too many than too few. */
function globsOf(glob: string, prefix: string): readonly string[] {
  if (glob.startsWith(prefix)) return [glob.slice(prefix.length)];
  const [start] = glob.split('*', 1) as [string];
  if (!glob.includes('*') || !prefix.startsWith(start)) return [];
  const rest = glob.slice(start.length);
  const tail = rest.slice(1);
  // The wildcard ends behind the prefix, or anywhere in it.
  const within = Array.from(prefix, (_, at) => prefix.slice(at)).filter((end) => tail.startsWith(end));
  return [rest, tail, ...within.map((end) => tail.slice(end.length))].filter((one) => one !== '');
}
