import type { KeyObject } from 'node:crypto';
import type { RequestView } from '@winnow/wire';
import type { ClientRequest } from '../http/client-request.ts';
import type { RawHeaders } from '../http/headers.ts';
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

/** The origin of a request. `tenantHeaders` are more names of headers that hold a credential, in any case. */
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

/**
 * The headers of a request that tell one client from another. A signature differs with each request, and the id of its key is no
 * secret: only a client that is known to know the secret is told apart by it.
 */
function headersOf(headers: RawHeaders, signedBy: SignedBy | undefined): RawHeaders {
  if (signedBy === undefined) return headers;
  const told: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() !== 'authorization') told.push(headers[at]!, headers[at + 1]!);
  }
  return signedBy === 'unknown' ? told : [...told, 'authorization', `signed by ${signedBy.accessKeyId}`];
}

/** The client of one exchange. Made once for each; what it takes hashing to know is worked out when it is asked for first. */
export class ClientIdentity {
  readonly origin: TenantIdentity;
  readonly #secret: KeyObject;
  #client: string | undefined;
  #tenant: string | undefined;

  /** `secret` keeps keys from saying anything about the credential and the conversation that they were made of. */
  constructor(origin: TenantIdentity, secret: KeyObject) {
    this.origin = origin;
    this.#secret = secret;
  }

  /** Its credentials, or else its address, as text. Not to be kept longer than the request. */
  get client(): string {
    this.#client ??= writeTenant(this.origin);
    return this.#client;
  }

  /** The key that its notes are stored under, and no other client's. */
  get tenant(): string {
    this.#tenant ??= tenantKey(this.client, this.#secret);
    return this.#tenant;
  }

  get hasCredential(): boolean {
    return hasCredential(this.origin);
  }

  /** The conversation that a request belongs to; where its body could not be read, the origin alone tells. */
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

  /** Whether the client itself says which conversation it is. */
  get isNamed(): boolean {
    return namesConversation(this.#identity);
  }

  /** The key of its session; undefined when nothing tells it apart. */
  get key(): string | undefined {
    return sessionKey(this.#identity, this.#secret);
  }

  /** Its place among all sessions, from 0 up to but not 100; undefined when nothing tells it apart. */
  get bucket(): number | undefined {
    return sessionBucket(this.#identity);
  }
}
