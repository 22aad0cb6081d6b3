import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type Sight, sightOf } from '@winnow/registry';
import {
  type Environment,
  hostNameOf,
  isLoopback,
  nearestName,
  readConfigFile,
  TokenSet,
} from '@winnow/service';
import { z } from 'zod';
import { RegistryError } from '../registry-error.ts';

/** The rights of a token. */
export const RIGHTS = ['read', 'write', 'servers', 'metrics'] as const;
export type Right = (typeof RIGHTS)[number];

/** One entry of the tokens file. */
export interface TokenSetting {
  /** The holder's name in logs. */
  readonly name: string;
  readonly token: string;
  readonly tenant: string;
  readonly rights: readonly Right[];
  /** Globs of the namespaces that it may see, search and change; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
}

/** A token is what an `Authorization: Bearer` header can carry: https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Shorter ones can be guessed. */
const LEAST_TOKEN_CHARS = 16;

const Entry = z.strictObject({
  token: z.string().refine((token) => token.length >= LEAST_TOKEN_CHARS && BEARER_TOKEN.test(token)),
  tenant: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .default('default'),
  rights: z.array(z.enum(RIGHTS)).min(1),
  namespaces: z.array(z.string().regex(/^[a-z0-9._*?-]{1,64}$/)).optional(),
});

const ALLOWED: Readonly<Record<string, string>> = {
  token: `a bearer token of at least ${LEAST_TOKEN_CHARS} characters`,
  tenant: '1 to 64 of the characters A-Z a-z 0-9 . _ -',
  rights: `a list of ${RIGHTS.join(', ')}, with at least one`,
  namespaces: 'a list of globs over namespaces, such as jira or team-*',
};

/**
 * Reads a tokens file: YAML, with a name for each token, and below it `token`, `tenant`, `rights` and `namespaces`. `${NAME}` stands
 * for an environment variable, and `${file:PATH}` for the content of a file.
 *
 * Returns every problem as a sentence, without tokens. A file without tokens is a problem, as it would admit no caller.
 */
export function readTokens(
  text: string,
  environment: Environment,
): {
  readonly tokens: readonly TokenSetting[];
  readonly problems: readonly string[];
  /** Paths of the files that contain values. */
  readonly files: readonly string[];
} {
  const file = readConfigFile(text, environment);
  const problems = [...file.problems];
  const byName = new Map<string, Record<string, unknown>>();
  for (const { path, value, line } of file.entries) {
    const [name, key, ...rest] = path;
    if (name === undefined || key === undefined || rest.length > 0) {
      problems.push(`Line ${line}: each token needs a name, with its keys below it.`);
      continue;
    }
    const entry = byName.get(name) ?? {};
    entry[key] = value;
    byName.set(name, entry);
  }
  const tokens = [...byName].flatMap(([name, entry]) => readEntry(name, entry, problems));
  problems.push(...findRepeated(tokens));
  if (tokens.length === 0 && problems.length === 0) problems.push('The file holds no token.');
  return { tokens, problems, files: file.files };
}

function readEntry(name: string, entry: Record<string, unknown>, problems: string[]): TokenSetting[] {
  const result = Entry.safeParse(entry);
  if (result.success) return [{ name, ...result.data, namespaces: result.data.namespaces }];
  const known = Object.keys(ALLOWED);
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const nearest = nearestName(key, known);
        problems.push(`${name}.${key} is not a key; the nearest one is ${nearest}.`);
      }
      continue;
    }
    const key = String(issue.path[0]);
    problems.push(`${name}.${key} must be ${ALLOWED[key]}.`);
  }
  return [];
}

function findRepeated(tokens: readonly TokenSetting[]): readonly string[] {
  const names = new Map<string, string>();
  return tokens.flatMap(({ name, token }) => {
    const first = names.get(token);
    names.set(token, first ?? name);
    return first === undefined ? [] : [`${name} has the same token as ${first}.`];
  });
}

/** The sender of a request. */
export interface Caller {
  /** Its name in logs. */
  readonly name: string;
  readonly tenant: string;
  readonly rights: readonly Right[];
  /** Undefined when everything is in sight. */
  readonly sight: Sight | undefined;
}

/** The tenant of a service without tokens. */
export const DEFAULT_TENANT = 'default';

const EVERYBODY: Caller = { name: 'local', tenant: DEFAULT_TENANT, rights: RIGHTS, sight: undefined };

/** Identifies callers by their bearer tokens. Without tokens, every caller on this machine may do everything. */
export class Callers {
  #tokens = new TokenSet([]);
  #byDigest: ReadonlyMap<string, Caller> = new Map();
  #settings: ReadonlyMap<string, TokenSetting> = new Map();

  constructor(tokens: readonly TokenSetting[]) {
    this.use(tokens);
  }

  /**
   * Accepts other tokens from the next request on. A token with the same name, tenant, rights and namespaces stays the
   * same caller; returns those that are no longer admitted.
   */
  use(tokens: readonly TokenSetting[]): readonly Caller[] {
    const { all } = this;
    const [before, known] = [this.#settings, this.#byDigest];
    this.#tokens = new TokenSet(tokens.map(({ token }) => token));
    this.#settings = new Map(tokens.map((token) => [digestOf(token.token), token]));
    this.#byDigest = new Map(
      [...this.#settings].map(([digest, token]) => {
        const isSame = isDeepStrictEqual(before.get(digest), token);
        return [digest, isSame ? known.get(digest)! : toCaller(token)];
      }),
    );
    return all.filter((caller) => !this.admits(caller));
  }

  /** Whether a caller's token is still accepted. */
  admits(caller: Caller): boolean {
    return this.all.includes(caller);
  }

  /** All callers. */
  get all(): readonly Caller[] {
    return this.#tokens.isEmpty ? [EVERYBODY] : [...this.#byDigest.values()];
  }

  /** The callers that share slots: a token with only the right `metrics` takes none. */
  get sharing(): readonly Caller[] {
    return this.all.filter(({ rights }) => rights.some((right) => right !== 'metrics'));
  }

  /** All tenants with a caller. */
  get tenants(): readonly string[] {
    return [...new Set(this.all.map(({ tenant }) => tenant))];
  }

  /** Throws `unauthorized` when tokens are configured and the request has none of them, and `forbidden` when it lacks the right. */
  identify(incoming: IncomingMessage, right: Right): Caller {
    const caller = this.#tokens.isEmpty
      ? localCaller(incoming)
      : this.#byDigest.get(this.#tokens.authorize(incoming))!;
    if (!caller.rights.includes(right)) {
      throw new RegistryError('forbidden', `This token does not have the right "${right}".`);
    }
    return caller;
  }
}

/**
 * A page in a browser may reach loopback under the page's own host name:
 * https://en.wikipedia.org/wiki/DNS_rebinding
 */
function localCaller({ headers }: IncomingMessage): Caller {
  if (isLoopback(hostNameOf(headers.host ?? ''))) return EVERYBODY;
  throw new RegistryError('forbidden', 'Without tokens, the registry answers to localhost only.');
}

function toCaller({ name, tenant, rights, namespaces }: TokenSetting): Caller {
  return { name, tenant, rights, sight: namespaces && sightOf(namespaces) };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
