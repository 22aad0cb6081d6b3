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
 * The clues as two texts to be hashed one after the other, or undefined when nothing tells the conversation apart. Equal for every turn
 * of a conversation, and never equal for two credentials.
 *
 * A name in the body counts together with the first user message: it often stands for a user or an application, whose conversations
 * are many.
 */
export function writeClues(clues: SessionClues): readonly [parts: string, text: string] | undefined {
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
  return [JSON.stringify(parts), text];
}

function tenantOf({ headers, remoteAddress }: SessionClues): readonly (string | null)[] {
  const credentials = CREDENTIAL_HEADERS.map((name) => headerValue(headers, name) ?? null);
  return credentials.some((value) => value !== null) ? credentials : [remoteAddress];
}
