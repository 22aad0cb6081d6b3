export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Address and credentials of a Redis, as given by `redis.url`. */
export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly isTls: boolean;
  /** The server, the Sentinels, or the initial nodes of the cluster: at least one. */
  readonly hosts: readonly RedisHost[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** The primary's name at the Sentinels; empty without Sentinels. */
  readonly primaryName: string;
  /** Credentials for the Sentinels themselves. */
  readonly sentinelUser: string | undefined;
  readonly sentinelPassword: string | undefined;
}

/**
 * An address, or the problem with it. The problem completes "redis.url …" and never quotes the URL, which may
 * contain a password.
 */
export type RedisUrlOutcome =
  | { readonly ok: true; readonly address: RedisAddress }
  | { readonly ok: false; readonly problem: string };

/** A problem found while parsing; never leaves this file. */
class UrlProblem extends Error {}

const SCHEME = /^(redis|rediss|valkey|valkeys)(?:\+(sentinel|cluster))?:\/\//;
const TLS_SCHEMES = ['rediss', 'valkeys'];
const PORTS = { single: 6379, sentinel: 26379, cluster: 6379 } as const;

/** Redis has 16 databases by default; this bound catches typing errors. */
const MAX_DATABASE = 65_535;

/**
 * Parses `SCHEME://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]…][/PATH][?QUERY]`.
 *
 * The standard URL parser supports only one host, so it is not used. The path is the database (`/2`), or with
 * Sentinels the primary's name followed by the database (`/mymaster/2`). The query may contain
 * `sentinel_username` and `sentinel_password`. Never throws.
 */
export function parseRedisUrl(url: string): RedisUrlOutcome {
  try {
    return { ok: true, address: readUrl(url) };
  } catch (error) {
    if (error instanceof UrlProblem) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Formats the hosts for logs. */
export function describeHosts(hosts: readonly RedisHost[]): string {
  return hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}

function readUrl(url: string): RedisAddress {
  const scheme = SCHEME.exec(url);
  if (!scheme)
    throw new UrlProblem('must begin with redis://, rediss://, redis+sentinel:// or redis+cluster://');
  const kind = (scheme[2] ?? 'single') as RedisAddress['kind'];
  const rest = url.slice(scheme[0].length);
  if (/[\s#]/.test(rest))
    throw new UrlProblem('must not contain white space or #; in a password, write %20 or %23');
  const { authority, path, query } = split(rest);
  const at = authority.lastIndexOf('@');
  return {
    kind,
    isTls: TLS_SCHEMES.includes(scheme[1]!),
    hosts: readHosts(authority.slice(at + 1), kind),
    ...readCredentials(at < 0 ? '' : authority.slice(0, at)),
    ...readPath(path, kind),
    ...readQuery(query, kind),
  };
}

function split(rest: string): { authority: string; path: readonly string[]; query: string } {
  const [, authority, path, query] = /^([^/?]*)((?:\/[^?]*)?)(?:\?(.*))?$/.exec(rest)!;
  return {
    authority: authority!,
    path: path!.split('/').slice(1).filter(Boolean).map(decode),
    query: query ?? '',
  };
}

function readCredentials(text: string) {
  const colon = text.indexOf(':');
  const [user, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  if (user !== '' && password === '') {
    throw new UrlProblem('has a user without a password; a password alone is written :PASSWORD@');
  }
  return { user: decode(user) || undefined, password: decode(password) || undefined };
}

const HOST = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]@]+))(?::(\d{1,5}))?$/;

function readHosts(text: string, kind: RedisAddress['kind']): RedisHost[] {
  const hosts = text.split(',').map((one) => {
    const match = HOST.exec(one);
    const port = Number(match?.[3] ?? PORTS[kind]);
    if (!match || port < 1 || port > 65_535) {
      throw new UrlProblem(
        'must name hosts as HOST or HOST:PORT; in a password, write / as %2F, ? as %3F and @ as %40',
      );
    }
    return { host: match[1] ?? decode(match[2]!), port };
  });
  if (kind === 'single' && hosts.length > 1) {
    throw new UrlProblem('names several hosts: use redis+sentinel:// or redis+cluster://');
  }
  return hosts;
}

function readPath(path: readonly string[], kind: RedisAddress['kind']) {
  const [primaryName = '', ...databases] = kind === 'sentinel' ? path : ['', ...path];
  if (kind === 'sentinel' && primaryName === '') {
    throw new UrlProblem("must end in the primary's name: redis+sentinel://HOST:26379/NAME");
  }
  const [text = '0', ...more] = databases;
  const database = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (more.length > 0 || !(database <= MAX_DATABASE)) {
    throw new UrlProblem('has a path that is not the number of a database');
  }
  if (kind === 'cluster' && database !== 0)
    throw new UrlProblem('names a database: a cluster has only database 0');
  return { primaryName, database };
}

function readQuery(query: string, kind: RedisAddress['kind']) {
  const values: Record<string, string> = {};
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', ...value] = pair.split('=');
    if (kind !== 'sentinel' || (name !== 'sentinel_username' && name !== 'sentinel_password')) {
      throw new UrlProblem('may only have sentinel_username and sentinel_password after a ?, with Sentinels');
    }
    values[name] = decode(value.join('='));
  }
  return {
    sentinelUser: values.sentinel_username || undefined,
    sentinelPassword: values.sentinel_password || undefined,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UrlProblem('has a % that does not begin a percent-encoded character; write a % itself as %25');
  }
}
