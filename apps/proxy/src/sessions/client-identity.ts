import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { CREDENTIAL_HEADERS, type RequestView } from '@winnow/wire';
import type { SignedBy, Target } from '../upstream/choose-upstream.ts';
import type { ClientRequest } from '../upstream/client.ts';
import { ACCESS_HEADER, headerValue, type RawHeaders } from '../upstream/headers.ts';
import { queryCredentials } from '../upstream/upstream-auth.ts';

/**
 * Returns the origin of a request. `tenantHeaders` are additional names of credential headers, in any case.
 */
export function originOf(
  { rawHeaders, remoteAddress }: Pick<ClientRequest, 'rawHeaders' | 'remoteAddress'>,
  target: Target,
  tenantHeaders: readonly string[],
): TenantIdentity {
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

/** The client of one exchange. Hashes are computed on first use. */
export class ClientIdentity {
  readonly #readOrigin: () => TenantIdentity;
  readonly #secret: KeyObject;
  #origin: TenantIdentity | undefined;
  #client: string | undefined;
  #tenant: string | undefined;
  #hasCredential: boolean | undefined;

  /** `secret` keeps keys from revealing the credential and the conversation that they derive from. */
  constructor(readOrigin: () => TenantIdentity, secret: KeyObject) {
    this.#readOrigin = readOrigin;
    this.#secret = secret;
  }

  /** The parts of the request that identify it. */
  get origin(): TenantIdentity {
    this.#origin ??= this.#readOrigin();
    return this.#origin;
  }

  /** Its credentials, or else its address, as text. Must not be kept longer than the request. */
  get client(): string {
    this.#client ??= writeTenant(this.origin);
    return this.#client;
  }

  /** The key for its notes, which no other client shares. */
  get tenant(): string {
    this.#tenant ??= tenantKey(this.client, this.#secret);
    return this.#tenant;
  }

  /** The peer address of its connection. */
  get address(): string {
    return this.origin.remoteAddress;
  }

  get hasCredential(): boolean {
    this.#hasCredential ??= hasCredential(this.origin);
    return this.#hasCredential;
  }

  /**
   * Returns the conversation that a request belongs to; if the body could not be read, by the origin alone.
   */
  conversationOf(view: RequestView | undefined): Conversation {
    const hint = view?.sessionHints[0];
    const bodyKey = hint && `${hint.source}=${hint.value}`;
    const firstUserText = view?.firstUserText || undefined;
    const { upstream, headers, parameters, tenantHeaders, remoteAddress } = this.origin;
    return new Conversation(
      { upstream, headers, parameters, tenantHeaders, remoteAddress, bodyKey, firstUserText },
      this.#secret,
    );
  }
}

/** The conversation of one exchange. */
export class Conversation {
  readonly #identity: SessionIdentity;
  readonly #secret: KeyObject;
  #key: string | undefined;

  constructor(identity: SessionIdentity, secret: KeyObject) {
    this.#identity = identity;
    this.#secret = secret;
  }

  /** Whether the client itself names the conversation. */
  get isNamed(): boolean {
    return namesConversation(this.#identity);
  }

  /** The key of its session; undefined if the conversation cannot be identified. */
  get key(): string | undefined {
    this.#key ??= sessionKey(this.#identity, this.#secret);
    return this.#key;
  }

  /**
   * Its place among all sessions, from 0 up to but not including 100; undefined if the conversation cannot be
   * identified.
   */
  get bucket(): number | undefined {
    return sessionBucket(this.#identity);
  }
}

/** The parts that identify a client. */
interface TenantIdentity {
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

/** The parts that identify a conversation. */
export interface SessionIdentity extends TenantIdentity {
  /**
   * The name of the conversation or its user in the body, such as `prompt_cache_key`; undefined if absent.
   */
  readonly bodyKey: string | undefined;
  /** Text of the first user message; undefined if there is none. */
  readonly firstUserText: string | undefined;
}

/** Headers that name a conversation; the first one present wins. */
const SESSION_HEADERS = ['x-winnow-session', 'x-claude-code-session-id', 'session-id'];

/**
 * Returns the identity as two texts to hash in sequence, or undefined if the conversation cannot be
 * identified. Equal for every turn of a conversation, and never equal for two credentials.
 *
 * A name in the body counts only together with the first user message: it often stands for a user or an
 * application with many conversations.
 */
function writeIdentity(identity: SessionIdentity): readonly [parts: string, text: string] | undefined {
  const named = SESSION_HEADERS.map((name) => headerValue(identity.headers, name)).find((value) => value);
  const isNameless = identity.firstUserText === undefined && identity.bodyKey === undefined;
  if (named === undefined && isNameless) return undefined;
  const text = named === undefined ? (identity.firstUserText ?? '') : '';
  // JSON separates the parts unambiguously; the long text follows unquoted.
  const parts = [
    identity.upstream,
    tenantOf(identity),
    named ?? null,
    named === undefined ? (identity.bodyKey ?? null) : null,
  ];
  return [JSON.stringify(parts), text];
}

/** Whether the client itself names the conversation of a request. */
function namesConversation({ headers, bodyKey }: SessionIdentity): boolean {
  return bodyKey !== undefined || SESSION_HEADERS.some((name) => Boolean(headerValue(headers, name)));
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

/** Returns the owner of requests as a text that is never equal for two credentials. */
function writeTenant(identity: TenantIdentity): string {
  return JSON.stringify([identity.upstream, tenantOf(identity)]);
}

/** Whether a request has any credential. */
function hasCredential({ headers, parameters, tenantHeaders }: TenantIdentity): boolean {
  return (
    credentialHeaders(headers, tenantHeaders).some((value, at) => at % 2 === 1 && isCredential(value)) ||
    parameters.some((value, at) => at % 2 === 1 && isCredential(value))
  );
}

/** Returns the names, in lower case, and values of the headers that may hold a credential, in their order. */
function credentialHeaders(headers: RawHeaders, tenantHeaders: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (CREDENTIAL_NAMES.has(name) || tenantHeaders.includes(name)) found.push(name, headers[at + 1]!);
  }
  return found;
}

/** Whether a value identifies a client; an empty one or a mere scheme does not. */
function isCredential(value: string | undefined): boolean {
  return value !== undefined && value.replace(/^\s*(bearer|basic)\b/i, '').trim() !== '';
}

function tenantOf({
  headers,
  parameters,
  tenantHeaders,
  remoteAddress,
}: TenantIdentity): readonly (string | null)[] {
  // A request has a dozen headers and few of them hold credentials: the others are passed over once.
  const shown = credentialHeaders(headers, tenantHeaders);
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

/**
 * Returns the key of a request's owner, for the notes of a single credential. `secret` keeps it from revealing
 * the credential.
 */
function tenantKey(text: string, secret: KeyObject): string {
  return createHmac('sha256', secret).update('tenant\n').update(text).digest('base64url');
}

/**
 * Returns the key of a request's session, or undefined if its conversation cannot be identified.
 *
 * Requests with different credentials never have the same key. `secret` keeps the key from revealing the
 * credential or the conversation; it is a key object because creating one costs more than the rest of the
 * key.
 */
export function sessionKey(identity: SessionIdentity, secret: KeyObject): string | undefined {
  const written = writeIdentity(identity);
  if (written === undefined) return undefined;
  const [parts, text] = written;
  return createHmac('sha256', secret).update(parts).update(text).digest('base64url');
}

/** Bytes of the hash to read: as many as a number holds exactly. */
const READ_BYTES = 6;

/**
 * Returns a session's place among all sessions, from 0 up to but not including 100, or undefined if its
 * conversation cannot be identified.
 *
 * Stable across processes and restarts, and evenly distributed: p percent of the sessions are below p. It is
 * not keyed by the secret, which other processes may not share. It must therefore not be shown: it could be
 * compared with guesses.
 */
export function sessionBucket(identity: SessionIdentity): number | undefined {
  const written = writeIdentity(identity);
  if (written === undefined) return undefined;
  const [parts, text] = written;
  const hash = createHash('sha256').update(parts).update(text).digest();
  return (hash.readUIntBE(0, READ_BYTES) / 256 ** READ_BYTES) * 100;
}

/** Characters of a key that identify a session in the records. */
const SHORT_CHARS = 12;

/** Returns a session's key as records show it. */
export function shortKey(key: string | undefined): string | undefined {
  return key?.slice(0, SHORT_CHARS);
}
