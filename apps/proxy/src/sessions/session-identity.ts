import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { CREDENTIAL_HEADERS } from '@winnow/wire';
import { headerValue, type RawHeaders } from '../http/headers.ts';
import { ACCESS_HEADER } from '../http/own-headers.ts';

/** The parts that identify a client. */
export interface TenantIdentity {
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
export function namesConversation({ headers, bodyKey }: SessionIdentity): boolean {
  return bodyKey !== undefined || SESSION_HEADERS.some((name) => Boolean(headerValue(headers, name)));
}

/**
 * Headers with fixed places, present or empty, because a session's share of a rollout must not change between
 * versions.
 */
const PLACED_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
/** Clients with tokens of their own often send the same placeholder as their provider's key. */
const ALL_HEADERS = [...CREDENTIAL_HEADERS, ACCESS_HEADER];
const OTHER_HEADERS = ALL_HEADERS.filter((name) => !PLACED_HEADERS.includes(name));

/** Returns the owner of requests as a text that is never equal for two credentials. */
export function writeTenant(identity: TenantIdentity): string {
  return JSON.stringify([identity.upstream, tenantOf(identity)]);
}

/** Whether a request has any credential. */
export function hasCredential({ headers, parameters, tenantHeaders }: TenantIdentity): boolean {
  const isIn = (name: string) => isCredential(headerValue(headers, name));
  return (
    ALL_HEADERS.some(isIn) ||
    tenantHeaders.some(isIn) ||
    parameters.some((value, at) => at % 2 === 1 && isCredential(value))
  );
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
  // Runs several times per request, so it avoids creating lists and closures per name.
  const credentials: (string | null)[] = [];
  for (const name of PLACED_HEADERS) credentials.push(headerValue(headers, name) ?? null);
  for (const name of tenantHeaders.length === 0 ? OTHER_HEADERS : othersWith(tenantHeaders)) {
    const value = headerValue(headers, name);
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
export function tenantKey(text: string, secret: KeyObject): string {
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
