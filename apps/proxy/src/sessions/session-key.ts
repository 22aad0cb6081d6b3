import { createHmac, type KeyObject } from 'node:crypto';
import { headerValue, type RawHeaders } from '../upstream/request-headers.ts';

/** What tells one conversation from another. */
export interface SessionClues {
  /** The upstream that the request goes to. */
  readonly upstream: string;
  readonly headers: RawHeaders;
  /** Of the connection; tells clients without credentials apart. */
  readonly remoteAddress: string;
  /** What the body names the conversation or its user by, such as `prompt_cache_key`; undefined when it does not. */
  readonly bodyKey: string | undefined;
  /** Text of the first user message; undefined when there is none. */
  readonly firstUserText: string | undefined;
}

/** Headers that name one conversation, the first that is there wins. */
const SESSION_HEADERS = ['x-winnow-session', 'x-claude-code-session-id', 'session-id'];

const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

/**
 * The key of a request's session, or undefined when nothing tells its conversation apart.
 *
 * Requests with different credentials never have the same key. `secret` keeps the key from saying anything about the credential
 * or the conversation. A name in the body counts together with the first user message: it often stands for a user or an
 * application, whose conversations are many. The secret is a key object, as making one costs more than the rest of the key.
 */
export function sessionKey(clues: SessionClues, secret: KeyObject): string | undefined {
  const named = SESSION_HEADERS.map((name) => headerValue(clues.headers, name)).find((value) => value);
  const isNameless = clues.firstUserText === undefined && clues.bodyKey === undefined;
  if (named === undefined && isNameless) return undefined;
  const text = named === undefined ? (clues.firstUserText ?? '') : '';
  // JSON keeps the parts apart, so that no two lists of parts read the same; the text is long and stands behind them, unquoted.
  const parts = [
    clues.upstream,
    tenantOf(clues),
    named ?? null,
    named === undefined ? (clues.bodyKey ?? null) : null,
  ];
  return createHmac('sha256', secret).update(JSON.stringify(parts)).update(text).digest('base64url');
}

function tenantOf({ headers, remoteAddress }: SessionClues): readonly (string | null)[] {
  const credentials = CREDENTIAL_HEADERS.map((name) => headerValue(headers, name) ?? null);
  return credentials.some((value) => value !== null) ? credentials : [remoteAddress];
}
