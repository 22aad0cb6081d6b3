import { CREDENTIAL_PARAMETERS, type Vendor } from '@winnow/wire';
import type { UpstreamAuth } from './upstream-auth.ts';

/** An upstream as far as its queries depend on it. */
export interface QueryAuth {
  readonly auth: UpstreamAuth;
  readonly vendor: Vendor;
  /** Whether the value of a credential is a token of the proxy's own clients, which goes no further. */
  readonly isOwnToken?: (value: string) => boolean;
}

/**
 * The credentials in a query, such as Google's `?key=`: names and values, one after the other, as `rawHeaders` has those of the head.
 * `query` begins with its question mark, or is empty.
 */
export function queryCredentials(query: string): readonly string[] {
  if (query === '') return NONE;
  const found = partsOf(query).flatMap((part) => {
    const { name, value } = readPart(part);
    return CREDENTIALS.has(name) ? [name, value] : [];
  });
  return found.length === 0 ? NONE : found;
}

/**
 * The query for an upstream: the client's, as it is spelt, without credentials that are not meant for the upstream, and with the operator's
 * key where it goes there. No credential stays in it beside a key of the operator's, and no token of the proxy's own ever does.
 */
export function upstreamQuery(query: string, { auth, vendor, isOwnToken }: QueryAuth): string {
  const named = 'name' in auth ? [auth.name] : NONE;
  const replaced = auth.kind === 'forward' ? NONE : [...(vendor.credentialParameters ?? []), ...named];
  const isKept = (part: string) => {
    const { name, value } = readPart(part);
    return !replaced.includes(name) && !(CREDENTIALS.has(name) && isOwnToken?.(value) === true);
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

/** What is no encoding stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
