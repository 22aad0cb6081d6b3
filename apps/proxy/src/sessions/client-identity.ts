import type { KeyObject } from 'node:crypto';
import type { RequestView } from '@winnow/wire';
import type { ClientRequest } from '../http/client-request.ts';
import { headerValue, type RawHeaders } from '../http/headers.ts';
import type { SignedBy } from '../signing/signed-by.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import { queryCredentials } from '../upstream/query-credentials.ts';
import {
  hasCredential,
  namesConversation,
  type SessionIdentity,
  sessionBucket,
  sessionKey,
  type TenantIdentity,
  tenantKey,
  writeTenant,
} from './session-identity.ts';
import { shortKey } from './short-key.ts';

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
  readonly origin: TenantIdentity;
  readonly #secret: KeyObject;
  #client: string | undefined;
  #tenant: string | undefined;

  /** `secret` keeps keys from revealing the credential and the conversation that they derive from. */
  constructor(origin: TenantIdentity, secret: KeyObject) {
    this.origin = origin;
    this.#secret = secret;
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

  /** Returns a key for a text that identifies a sender, as records show it. */
  senderKey(sender: string): string {
    return shortKey(tenantKey(sender, this.#secret))!;
  }

  get hasCredential(): boolean {
    return hasCredential(this.origin);
  }

  /**
   * Returns the conversation that a request belongs to; if the body could not be read, by the origin alone.
   */
  conversationOf(view: RequestView | undefined): Conversation {
    const hint = view?.sessionHints[0];
    const bodyKey = hint && `${hint.source}=${hint.value}`;
    const firstUserText = view?.firstUserText || undefined;
    return new Conversation({ ...this.origin, bodyKey, firstUserText }, this.#secret);
  }
}

/** The conversation of one exchange. */
export class Conversation {
  readonly #identity: SessionIdentity;
  readonly #secret: KeyObject;

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
    return sessionKey(this.#identity, this.#secret);
  }

  /**
   * Its place among all sessions, from 0 up to but not including 100; undefined if the conversation cannot be
   * identified.
   */
  get bucket(): number | undefined {
    return sessionBucket(this.#identity);
  }
}
