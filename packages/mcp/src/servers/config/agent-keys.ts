// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how agents write variables.
import { isJsonObject, type JsonObject, matchesGlob } from '@winnow/registry';

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
 * Sources: the `source` of each of `AGENTS`, and where their programs read the keys: `mcp_types.rs` of openai/codex, `settings.schema.json` of
 * google-gemini/gemini-cli, `config/mcp.ts` of anomalyco/opencode, `mcp/schemas.ts` of cline/cline, `schemas/mcp` of continuedev/continue,
 * `settings_content` of zed-industries/zed, and the page on MCP of QwenLM/qwen-code.
 */
const REMEDIES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      [APPROVAL, 'autoApprove alwaysAllow default_tools_approval_mode'],
      [
        TIMES,
        'timeout networkTimeout startup_timeout_sec startup_timeout_ms tool_timeout_sec discoveryTimeoutMs connectionTimeout',
      ],
      [
        NOTHING,
        'alwaysLoad description gallery version dev icon required note name serverName source sourceFile faviconUrl extension transportType versionNegotiation supports_parallel_tool_calls',
      ],
      ['start the command in a sandbox', 'sandbox sandboxEnabled'],
      ['the server starts on this machine', 'experimental_environment remote'],
      ['write its variables into env', 'envFile'],
      ['write the header into headers, with ${NAME} or ${file:PATH}', 'headersHelper'],
      [
        'use auth with client_credentials, or a token in headers',
        'oauth oauth_resource authProviderType targetAudience targetServiceAccount',
      ],
      ['use auth with a scope', 'scopes'],
      ['set HTTPS_PROXY and NODE_EXTRA_CA_CERTS, and write headers', 'requestOptions'],
    ] as const
  ).flatMap(([remedy, keys]) => keys.split(' ').map((key) => [key, remedy])),
);

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
  // Codex has a table of approvals under this name.
  const areApprovals = isJsonObject(tools) && Object.values(tools).every(isApproval);
  const lists = [
    areApprovals ? null : tools,
    includeTools,
    enabled_tools,
    excludeTools,
    disabledTools,
    disabled_tools,
  ].filter((list) => list !== undefined && list !== null);
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
  const dropped = [
    ...keys.map((key) => ({ key, remedy: key === 'auth' ? REMEDIES.oauth! : (REMEDIES[key] ?? APPROVAL) })),
    ...(areApprovals ? [{ key: 'tools', remedy: APPROVAL }] : []),
  ];
  const unclear = { key: 'tools', remedy: 'write a list of names as include; until then the server is off' };
  return { entry: entry as JsonObject, dropped: isUnclear ? [...dropped, unclear] : dropped };
}

function isApproval(rule: unknown): boolean {
  return isJsonObject(rule) && Object.keys(rule).every((key) => key === 'approval_mode');
}

function isDropped(key: string, value: unknown): boolean {
  if (value === null) return false;
  // As Gemini CLI and Cursor have them; in another form they are keys of our own.
  if (key === 'trust') return typeof value === 'boolean';
  if (key === 'auth') return isJsonObject(value) && Object.hasOwn(value, 'CLIENT_ID');
  return Object.hasOwn(REMEDIES, key);
}

/** Returns what two lists of allowed tools allow; undefined stands for all. */
export function bothOf(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.filter((name) => other.some((glob) => matchesGlob(glob, name)));
}

/** Settings besides the entries that keep servers or tools from use. */
export interface SwitchedOff {
  /** Whether a whole server is off. */
  isOff(server: string): boolean;
  /** Globs of the server's own names of tools: those that are off, and the only ones that are on, if there are such. */
  toolsOf(server: string): {
    readonly include: readonly string[] | undefined;
    readonly exclude: readonly string[];
  };
  /** Settings that are not taken over, each with its remedy. */
  readonly dropped: PlainEntry['dropped'];
}

/**
 * Reads what a document of an agent switches off outside of its entries: lists of servers of Claude Code, Gemini CLI and Qwen Code, tools of
 * Gemini CLI, and `tools` and `permission` of opencode, whose names begin with that of the server, and whose last fitting rule counts.
 */
export function switchedOffIn(document: JsonObject): SwitchedOff {
  const { admin, tools } = document;
  const mcp = objectOr(document.mcp);
  const places = [document, ...Object.values(objectOr(document.projects))].filter(isJsonObject);
  const off = [
    ...places.flatMap((place) => [place.disabledMcpServers, place.disabledMcpjsonServers]),
    document.excludeMCPServers,
    mcp.excluded,
    namesOf(document.deniedMcpServers),
  ].flatMap((list) => textsIn(list) ?? []);
  const only =
    textsIn(mcp.allowed) ?? textsIn(document.allowMCPServers) ?? namesOf(document.allowedMcpServers);
  const isAllOff = objectOr(objectOr(admin).mcp).enabled === false;
  const rules = [tools, document.permission].flatMap((one) => Object.entries(objectOr(one)));
  const denied = textsIn(objectOr(document.permissions).deny) ?? [];
  const excluded = [document.excludeTools, objectOr(tools).exclude].flatMap((list) => textsIn(list) ?? []);
  const fits = (globs: readonly string[], server: string) => globs.some((glob) => matchesGlob(glob, server));
  return {
    isOff: (server) =>
      isAllOff ||
      fits(off, server) ||
      (only !== undefined && !fits(only, server)) ||
      denied.includes(`mcp__${server}`),
    toolsOf(server) {
      const { include, exclude } = afterRules(rules, `${server}_`);
      const others = [
        ...denied.flatMap((glob) => globsOf(glob, `mcp__${server}__`)),
        ...excluded.flatMap((name) => [
          name,
          ...[`${server}__`, `mcp_${server}_`].flatMap((prefix) => globsOf(name, prefix)),
        ]),
      ];
      return { include, exclude: [...exclude, ...others] };
    },
    dropped: perAgentRules(document),
  };
}

function objectOr(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Names of servers in lists of Claude Code's administrators. */
function namesOf(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) ? list.flatMap((one) => textsIn([objectOr(one).serverName]) ?? []) : undefined;
}

/** Returns the tools that rules leave on; too few where the rules cannot be written as two lists. */
function afterRules(rules: readonly (readonly [glob: string, rule: unknown])[], prefix: string) {
  let include: string[] | undefined;
  let exclude: string[] = [];
  for (const [glob, rule] of rules) {
    const isOff = rule === false || rule === 'deny';
    const isOn = rule === true || rule === 'allow' || rule === 'ask';
    const own = glob.startsWith(prefix) ? [glob.slice(prefix.length)] : glob === '*' ? ['*'] : [];
    const globs = isOff ? globsOf(glob, prefix) : isOn ? own : [];
    const isWhole = globs.includes('*');
    if (isOff && isWhole) [include, exclude] = [[], []];
    else if (isOff) exclude.push(...globs);
    else if (isWhole) [include, exclude] = [undefined, []];
    else {
      include?.push(...globs);
      exclude = exclude.filter((one) => !globs.includes(one));
    }
  }
  return { include, exclude };
}

/** Returns rules for some agents of an agent only, as opencode and Zed have them: the front door serves all. */
function perAgentRules(document: JsonObject): PlainEntry['dropped'] {
  const remedy = 'it is for one agent only: write include or exclude for all, or start a front door for each';
  return ['agent', 'mode', 'profiles'].flatMap((place) =>
    Object.entries({
      ...objectOr(document[place]),
      ...(place === 'profiles' && objectOr(objectOr(document.agent).profiles)),
    }).flatMap(([name, one]) =>
      ['tools', 'permission', 'context_servers']
        .filter((key) => isJsonObject(objectOr(one)[key]))
        .map((key) => ({ key: `${place}.${name}.${key}`, remedy })),
    ),
  );
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
