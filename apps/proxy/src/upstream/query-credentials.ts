import { decodePercent } from '@winnow/core';
import { CREDENTIAL_PARAMETERS } from '@winnow/wire';
import type { UpstreamAuth } from './upstream-auth.ts';

/** The parts of an upstream that affect its queries. */
export interface QueryAuth {
  readonly auth: UpstreamAuth;
  /** Whether a credential's value is one of the proxy's own client tokens, which are never forwarded. */
  readonly isOwnToken?: (value: string) => boolean;
}

/**
 * Returns the credentials in a query, such as Google's `?key=`: names and values in turn, like `rawHeaders`.
 * `query` begins with its question mark or is empty.
 */
export function queryCredentials(query: string): readonly string[] {
  if (query === '') return NONE;
  const found = partsOf(query).flatMap((part) => {
    const { name, value } = readPart(part);
    return CREDENTIALS.has(name.toLowerCase()) ? [name, value] : [];
  });
  return found.length === 0 ? NONE : found;
}

/**
 * Returns the query for an upstream: the client's as spelled, without credentials for other recipients, and
 * with the operator's key if it belongs there. An operator's key replaces every client credential, and the
 * proxy's own tokens never pass.
 */
export function upstreamQuery(query: string, { auth, isOwnToken }: QueryAuth): string {
  const isReplaced = auth.kind !== 'forward';
  const ownName = 'name' in auth ? auth.name : undefined;
  const isKept = (part: string) => {
    const { name, value } = readPart(part);
    if (name === ownName) return false;
    return !CREDENTIALS.has(name.toLowerCase()) || !(isReplaced || isOwnToken?.(value) === true);
  };
  const parts = query === '' ? [] : partsOf(query);
  const kept = parts.filter(isKept);
  if (auth.kind === 'query') kept.push(`${auth.name}=${encodeURIComponent(auth.value)}`);
  else if (kept.length === parts.length) return query;
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

const CREDENTIALS: ReadonlySet<string> = new Set(CREDENTIAL_PARAMETERS);

const NONE: readonly string[] = [];

function partsOf(query: string): string[] {
  return query.slice(1).split('&');
}

function readPart(part: string): { readonly name: string; readonly value: string } {
  const at = part.indexOf('=');
  if (at < 0) return { name: decode(part), value: '' };
  return { name: decode(part.slice(0, at)), value: decode(part.slice(at + 1)) };
}

function decode(text: string): string {
  return decodePercent(text.replaceAll('+', ' '));
}
