import { hash } from 'node:crypto';
import { CREDENTIAL_HEADERS, type RequestView } from '@winnow/wire';
import type { SignedBy, Target } from '../upstream/choose-upstream.ts';
import type { ClientRequest } from '../upstream/client.ts';
import { ACCESS_HEADER, headerValue, type RawHeaders } from '../upstream/headers.ts';
import { queryCredentials } from '../upstream/upstream-auth.ts';
import type { KeyedHash } from './keyed-hash.ts';

/**
 * Returns the origin of a request. `tenantHeaders` are additional names of credential headers, in any case.
 */
export function originOf(
  { rawHeaders, remoteAddress }: Pick<ClientRequest, 'rawHeaders' | 'remoteAddress'>,
  target: Target,
  tenantHeaders: readonly string[],
): ClientOrigin {
  return {
    upstream: target.upstream.name,
    headers: headersOf(rawHeaders, target.signedBy),
    parameters: queryCredentials(target.query),
    tenantHeaders: tenantHeaders.map((name) => name.toLowerCase()),
    remoteAddress,
  };
}

/** The start of the text that stands for a verified signature. */
const SIGNED_BY = 'signed by ';

/**
 * Returns the headers that identify a client. A signature differs with each request, and the id of its key is
 * not secret: the id counts only for a client that has proved to know the secret. A client that sends such a
 * text itself has proved nothing, and has no credential.
 */
function headersOf(headers: RawHeaders, signedBy: SignedBy | undefined): RawHeaders {
  if (signedBy === undefined && !headerValue(headers, 'authorization')?.startsWith(SIGNED_BY)) return headers;
  const told: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() !== 'authorization') told.push(headers[at]!, headers[at + 1]!);
  }
  if (signedBy === undefined || signedBy === 'unknown') return told;
  return [...told, 'authorization', SIGNED_BY + signedBy.accessKeyId];
}

/** The client of one exchange. Everything is computed on first use. */
export class ClientIdentity {
  readonly #readOrigin: () => ClientOrigin;
  readonly #secret: KeyedHash;
  #origin: ClientOrigin | undefined;
  #shown: readonly string[] | undefined;
  #credentials: Credentials | undefined;
  #tenant: string | undefined;
  #hasCredential: boolean | undefined;

  /** `secret` keeps keys from revealing the credential and the conversation that they derive from. */
  constructor(readOrigin: () => ClientOrigin, secret: KeyedHash) {
    this.#readOrigin = readOrigin;
    this.#secret = secret;
  }

  /** The parts of the request that identify it. */
  get origin(): ClientOrigin {
    this.#origin ??= this.#readOrigin();
    return this.#origin;
  }

  /** Its credentials, or else its address, as text. Must not be kept longer than the request. */
  get client(): string {
    return JSON.stringify([this.origin.upstream, this.#owner]);
  }

  /** The key for its notes, which no other client shares. */
  get tenant(): string {
    this.#tenant ??= this.#secret.of(`tenant\n${this.client}`);
    return this.#tenant;
  }

  /** The peer address of its connection. */
  get address(): string {
    return this.origin.remoteAddress;
  }

  get hasCredential(): boolean {
    this.#hasCredential ??= hasCredential(this.#headers) || hasCredential(this.origin.parameters);
    return this.#hasCredential;
  }

  /**
   * Returns the conversation that a request belongs to; if the body could not be read, by the origin alone.
   */
  conversationOf(view: Pick<RequestView, 'sessionHints' | 'firstUserText'> | undefined): Conversation {
    return new Conversation(() => {
      const hint = view?.sessionHints[0];
      return {
        upstream: this.origin.upstream,
        owner: this.#owner,
        named: sessionName(this.origin.headers),
        bodyKey: hint && `${hint.source}=${hint.value}`,
        firstUserText: view?.firstUserText || undefined,
      };
    }, this.#secret);
  }

  /** The headers that may hold a credential. */
  get #headers(): readonly string[] {
    this.#shown ??= credentialHeaders(this.origin);
    return this.#shown;
  }

  /** The owner of its requests, never equal for two credentials. */
  get #owner(): Credentials {
    this.#credentials ??= ownerOf(this.origin, this.#headers);
    return this.#credentials;
  }
}

/** The conversation of one exchange. */
export class Conversation {
  readonly #readIdentity: () => SessionIdentity;
  readonly #secret: KeyedHash;
  #known: SessionIdentity | undefined;
  #key: string | undefined;

  constructor(readIdentity: () => SessionIdentity, secret: KeyedHash) {
    this.#readIdentity = readIdentity;
    this.#secret = secret;
  }

  get #identity(): SessionIdentity {
    this.#known ??= this.#readIdentity();
    return this.#known;
  }

  /** Whether the client itself names the conversation. */
  get isNamed(): boolean {
    return this.#identity.bodyKey !== undefined || this.#identity.named !== undefined;
  }

  /**
   * The key of its session, which reveals neither credential nor conversation; undefined if the conversation cannot be
   * identified. Requests with different credentials never have the same key.
   */
  get key(): string | undefined {
    if (this.#key === undefined) {
      const written = writeIdentity(this.#identity);
      this.#key = written === undefined ? undefined : this.#secret.of(written);
    }
    return this.#key;
  }

  /**
   * Its place among all sessions, from 0 up to but not including 100; undefined if the conversation cannot be
   * identified.
   *
   * Stable across processes and restarts, and evenly distributed: p percent of the sessions are below p. It is
   * not keyed by the secret, which other processes may not share. It must therefore not be shown: it could be
   * compared with guesses.
   */
  get bucket(): number | undefined {
    const written = writeIdentity(this.#identity);
    if (written === undefined) return undefined;
    const digest = hash('sha256', written, 'buffer');
    return (digest.readUIntBE(0, READ_BYTES) / 256 ** READ_BYTES) * 100;
  }
}

/** Bytes of the hash to read: as many as a number holds exactly. */
const READ_BYTES = 6;

/** The parts of a request that identify its client. */
interface ClientOrigin {
  /** The upstream of the request. */
  readonly upstream: string;
  readonly headers: RawHeaders;
  /** Credentials in the query: names and values in turn. */
  readonly parameters: readonly string[];
  /** Additional credential headers, in lower case. */
  readonly tenantHeaders: readonly string[];
  /** The peer address of the connection, which distinguishes clients without credentials. */
  readonly remoteAddress: string;
}

/** Values of credentials at their places, null for a missing one, followed by names and values of others. */
type Credentials = readonly (string | null)[];

/** The parts that identify a conversation. */
interface SessionIdentity {
  readonly upstream: string;
  readonly owner: Credentials;
  /** The name of the conversation in a header; undefined without one. */
  readonly named: string | undefined;
  /** The name of the conversation or its user in the body, such as `prompt_cache_key`; undefined if absent. */
  readonly bodyKey: string | undefined;
  /** Text of the first user message; undefined if there is none. */
  readonly firstUserText: string | undefined;
}

/** Headers that name a conversation; the first one present wins. */
const SESSION_HEADERS = ['x-winnow-session', 'x-claude-code-session-id', 'session-id'];

function sessionName(headers: RawHeaders): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headerValue(headers, name);
    if (value) return value;
  }
  return undefined;
}

/**
 * Returns the identity as a text to hash, or undefined if the conversation cannot be identified. Equal for every turn
 * of a conversation, and never equal for two credentials.
 *
 * A name in the body counts only together with the first user message: it often stands for a user or an
 * application with many conversations.
 */
function writeIdentity({ upstream, owner, named, ...body }: SessionIdentity): string | undefined {
  const { bodyKey = null, firstUserText } = body;
  if (named !== undefined) return JSON.stringify([upstream, owner, named, null]);
  if (firstUserText === undefined && bodyKey === null) return undefined;
  // JSON separates the parts unambiguously; the long text follows unquoted.
  return JSON.stringify([upstream, owner, null, bodyKey]) + (firstUserText ?? '');
}

/**
 * Headers with fixed places, present or empty, because a session's share of a rollout must not change between
 * versions.
 */
const PLACED_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
/** Clients with tokens of their own often send the same placeholder as their provider's key. */
const ALL_HEADERS = [...CREDENTIAL_HEADERS, ACCESS_HEADER];
const CREDENTIAL_NAMES: ReadonlySet<string> = new Set(ALL_HEADERS);
const OTHER_HEADERS = ALL_HEADERS.filter((name) => !PLACED_HEADERS.includes(name));

/** Returns the names, in lower case, and values of the headers that may hold a credential, in their order. */
function credentialHeaders({ headers, tenantHeaders }: ClientOrigin): string[] {
  const found: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (CREDENTIAL_NAMES.has(name) || tenantHeaders.includes(name)) found.push(name, headers[at + 1]!);
  }
  return found;
}

/** Whether these names and values hold a credential; an empty value or a mere scheme is none. */
function hasCredential(shown: readonly string[]): boolean {
  return shown.some((value, at) => at % 2 === 1 && value.replace(/^\s*(bearer|basic)\b/i, '').trim() !== '');
}

function ownerOf({ parameters, tenantHeaders, remoteAddress }: ClientOrigin, shown: RawHeaders): Credentials {
  const credentials: (string | null)[] = [];
  for (const name of PLACED_HEADERS) credentials.push(headerValue(shown, name) ?? null);
  for (const name of tenantHeaders.length === 0 ? OTHER_HEADERS : othersWith(tenantHeaders)) {
    const value = shown.length === 0 ? undefined : headerValue(shown, name);
    if (value !== undefined) credentials.push(name, value);
  }
  for (const part of parameters) credentials.push(part);
  return credentials.some((value) => value !== null) ? credentials : [remoteAddress];
}

function othersWith(tenantHeaders: readonly string[]): ReadonlySet<string> {
  return new Set([...OTHER_HEADERS, ...tenantHeaders.filter((name) => !PLACED_HEADERS.includes(name))]);
}

/** Characters of a key that identify a session in the records. */
const SHORT_CHARS = 12;

/** Returns a session's key as records show it. */
export function shortKey(key: string | undefined): string | undefined {
  return key?.slice(0, SHORT_CHARS);
}
