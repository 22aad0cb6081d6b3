import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { CREDENTIAL_HEADERS } from '@winnow/wire';
import { headerValue, type RawHeaders } from '../http/headers.ts';

/** The parts by which one client is told from another. */
export interface TenantIdentity {
  /** The upstream that the request goes to. */
  readonly upstream: string;
  readonly headers: RawHeaders;
  /** Credentials of the query: names and values, one after the other. */
  readonly parameters: readonly string[];
  /** Headers that hold a credential, besides those that every client may use. Small letters. */
  readonly tenantHeaders: readonly string[];
  /** Of the connection; tells clients without credentials apart. */
  readonly remoteAddress: string;
}

/** The parts by which one conversation is told from another. */
export interface SessionIdentity extends TenantIdentity {
  /** What the body names the conversation or its user by, such as `prompt_cache_key`; undefined when it does not. */
  readonly bodyKey: string | undefined;
  /** Text of the first user message; undefined when there is none. */
  readonly firstUserText: string | undefined;
}

/** Headers that name one conversation, the first that is there wins. */
const SESSION_HEADERS = ['x-winnow-session', 'x-claude-code-session-id', 'session-id'];

/**
 * The identity as two texts to be hashed one after the other, or undefined when nothing tells the conversation apart. Equal for every turn
 * of a conversation, and never equal for two credentials.
 *
 * A name in the body counts together with the first user message: it often stands for a user or an application, whose conversations
 * are many.
 */
export function writeIdentity(identity: SessionIdentity): readonly [parts: string, text: string] | undefined {
  const named = SESSION_HEADERS.map((name) => headerValue(identity.headers, name)).find((value) => value);
  const isNameless = identity.firstUserText === undefined && identity.bodyKey === undefined;
  if (named === undefined && isNameless) return undefined;
  const text = named === undefined ? (identity.firstUserText ?? '') : '';
  // JSON keeps the parts apart, so that no two lists of parts read the same; the text is long and stands behind them, unquoted.
  const parts = [
    identity.upstream,
    tenantOf(identity),
    named ?? null,
    named === undefined ? (identity.bodyKey ?? null) : null,
  ];
  return [JSON.stringify(parts), text];
}

/** Whether the client itself says which conversation a request belongs to. */
export function namesConversation({ headers, bodyKey }: SessionIdentity): boolean {
  return bodyKey !== undefined || SESSION_HEADERS.some((name) => Boolean(headerValue(headers, name)));
}

/** A session's share of a rollout must not change with a version, so these have places of their own, taken or empty. */
const PLACED_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
const OTHER_HEADERS = CREDENTIAL_HEADERS.filter((name) => !PLACED_HEADERS.includes(name));

/** Whose requests these are, as a text that is never equal for two credentials. */
export function writeTenant(identity: TenantIdentity): string {
  return JSON.stringify([identity.upstream, tenantOf(identity)]);
}

/** Whether a request has a credential at all. */
export function hasCredential({ headers, parameters, tenantHeaders }: TenantIdentity): boolean {
  const isIn = (name: string) => isCredential(headerValue(headers, name));
  return (
    CREDENTIAL_HEADERS.some(isIn) ||
    tenantHeaders.some(isIn) ||
    parameters.some((value, at) => at % 2 === 1 && isCredential(value))
  );
}

/** An empty one, or a scheme without anything behind it, tells nobody apart. */
function isCredential(value: string | undefined): boolean {
  return value !== undefined && value.replace(/^\s*(bearer|basic)\b/i, '').trim() !== '';
}

function tenantOf({
  headers,
  parameters,
  tenantHeaders,
  remoteAddress,
}: TenantIdentity): readonly (string | null)[] {
  // Made for every request, some times: so without a list or a function for each name.
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
 * The key of whoever sent a request: what one credential's notes are kept under, and no other's. `secret` keeps it from saying anything
 * about the credential.
 */
export function tenantKey(text: string, secret: KeyObject): string {
  return createHmac('sha256', secret).update('tenant\n').update(text).digest('base64url');
}

/**
 * The key of a request's session, or undefined when nothing tells its conversation apart.
 *
 * Requests with different credentials never have the same key. `secret` keeps the key from saying anything about the credential
 * or the conversation; it is a key object, as making one costs more than the rest of the key.
 */
export function sessionKey(identity: SessionIdentity, secret: KeyObject): string | undefined {
  const written = writeIdentity(identity);
  if (written === undefined) return undefined;
  const [parts, text] = written;
  return createHmac('sha256', secret).update(parts).update(text).digest('base64url');
}

/** Bytes of the hash that are read: as many as a number holds exactly. */
const READ_BYTES = 6;

/**
 * Where a session stands among all sessions, from 0 up to but not 100, or undefined when nothing tells its conversation apart.
 *
 * The same in every process and after every start, and evenly spread: so many percent of the sessions are below so much. Not keyed by
 * the secret, which another process may not share, so it must not be shown: it could be compared with guesses.
 */
export function sessionBucket(identity: SessionIdentity): number | undefined {
  const written = writeIdentity(identity);
  if (written === undefined) return undefined;
  const [parts, text] = written;
  const hash = createHash('sha256').update(parts).update(text).digest();
  return (hash.readUIntBE(0, READ_BYTES) / 256 ** READ_BYTES) * 100;
}
