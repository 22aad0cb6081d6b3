import { decodePercent } from '@winnow/core';

/** A server that is a process, spoken to over its standard input and output. */
export interface StdioTransport {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** In addition to `HOME`, `PATH` and the like, and {@link StdioTransport.network}. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of our own environment for reaching the network; `env` takes precedence. */
  readonly network: Readonly<Record<string, string>>;
  /** Ours when it is missing. */
  readonly cwd: string | undefined;
}

/** Credentials of requests to a server. */
export type ServerAuth =
  | { readonly type: 'bearer'; readonly token: string }
  | {
      readonly type: 'client_credentials';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | undefined;
      /** The authorization server that may have the secret, whichever the MCP server names. */
      readonly issuer: string;
    };

/** A server behind streamable HTTP. */
export interface HttpTransport {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: ServerAuth | undefined;
  /** Refuses addresses of this machine and of private networks, also behind host names. */
  readonly deniesPrivate: boolean;
}

/**
 * Ways to isolate the state of a server, in separate processes or, over HTTP, sessions.
 *
 * - `none`: all callers share one.
 * - `token`: one for each token.
 * - `session`: one for each session of a client; for clients without sessions, one for each token.
 */
export const ISOLATIONS = ['none', 'token', 'session'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** A configured MCP server, read and checked. Holds secrets: `secretsOf` lists them. */
export interface ServerEntry {
  readonly name: string;
  readonly transport: StdioTransport | HttpTransport;
  readonly tenant: string;
  /** Empty for tools without a namespace. */
  readonly namespace: string;
  /** Stands in model names in place of the namespace. */
  readonly prefix: string | undefined;
  /** Globs of other namespaces whose registered tools may be called on the server. */
  readonly sharedWith: readonly string[];
  /** Callers who share its state; undefined for the default, which depends on how many tokens there are. */
  readonly isolation: Isolation | undefined;
  /** Most connections for callers who don't share its state. */
  readonly maxProcesses: number;
  readonly tags: readonly string[];
  /** Globs over the server's own names of its tools; undefined for all. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[];
  readonly isEnabled: boolean;
  readonly trustsAnnotations: boolean;
  /** Changed definitions wait for approval. */
  readonly isPinned: boolean;
  /** Bounds of the time from one refresh to the next. */
  readonly refresh: { readonly minMs: number; readonly maxMs: number };
  readonly timeouts: { readonly connectMs: number; readonly listMs: number; readonly callMs: number };
  /** Time that tools of an unreachable server are kept. */
  readonly dropAfterMs: number;
}

export const ENTRY_DEFAULTS = {
  tenant: 'default',
  refresh: { minMs: 30_000, maxMs: 3_600_000 },
  timeouts: { connectMs: 30_000, listMs: 60_000, callMs: 120_000 },
  dropAfterMs: 24 * 3_600_000,
  maxProcesses: 16,
} as const;

/** Every text of an entry that must not be shown, whole and in the parts that are sent. */
export function secretsOf({ transport }: Pick<ServerEntry, 'transport'>): readonly string[] {
  if (transport.type === 'stdio')
    return [
      ...Object.values(transport.env),
      ...proxyCredentials(transport.network),
      ...secretsOfArguments(transport.args),
    ];
  const { headers, auth } = transport;
  return [
    ...Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]),
    ...(auth?.type === 'bearer' ? [auth.token] : []),
    ...(auth?.type === 'client_credentials' ? secretsOfClient(auth.clientId, auth.clientSecret) : []),
    ...secretsOfUrl(transport.url),
  ];
}

/** The secret in plain text, form-encoded, and as in HTTP Basic. */
function secretsOfClient(id: string, secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(`${id}:${secret}`).toString('base64')];
}

/** Returns the values of `--option=value` arguments, and arguments after an option named like a secret. */
function secretsOfArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((argument, place) => {
    const [, value] = /^--?[^=]+=(.+)$/.exec(argument) ?? [];
    if (value !== undefined) return [value];
    return /^--?[^=]*(key|token|secret|password|auth|credential)[^=]*$/i.test(args[place - 1] ?? '')
      ? [argument]
      : [];
  });
}

/** Keys are as often sent in the address as they should not be. */
function secretsOfUrl(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const values = [...url.searchParams.values()].flatMap((value) => [value, encodeURIComponent(value)]);
  return [...values, url.password, decodePercent(url.password)];
}

/**
 * Variables by which programs learn how to reach the network: proxies, and certificate authorities of a company's own. `npx` and `uvx` fetch
 * nothing without them, and agents pass them on.
 *
 * Sources: https://nodejs.org/api/cli.html#environment-variables, https://docs.astral.sh/uv/reference/environment,
 * https://docs.openssl.org/master/man7/openssl-env, https://requests.readthedocs.io/en/latest/user/advanced
 */
const NETWORK_VARIABLES = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  ...['NODE_USE_ENV_PROXY', 'NODE_USE_SYSTEM_CA', 'NODE_EXTRA_CA_CERTS'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'PIP_CERT'],
];

/** Returns the network variables that an environment sets. */
export function networkVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    NETWORK_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value ? [[name, value]] : [];
    }),
  );
}

/**
 * Names and passwords in addresses of proxies, both as written and decoded: `http://me:p%40ss@proxy:3128`, and
 * without the scheme.
 */
export function proxyCredentials(variables: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(variables).flatMap((value) => {
    const userinfo = /^(?:\w+:\/\/)?([^/]*)@/.exec(value)?.[1];
    if (userinfo === undefined) return [];
    const colon = userinfo.indexOf(':');
    const parts = colon === -1 ? [userinfo] : [userinfo, userinfo.slice(0, colon), userinfo.slice(colon + 1)];
    return [...new Set(parts.flatMap((part) => [part, decodePercent(part)]))];
  });
}
