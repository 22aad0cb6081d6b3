import { decodePercent } from '@winnow/core';
import { causeCode } from '@winnow/service';
import { CREDENTIAL_PARAMETERS, cloudOf, type Vendor } from '@winnow/wire';
import type { AuthSetting } from '../config/settings.ts';
import { type AwsEnvironment, signingScope } from '../config/upstream-settings.ts';
import { type LogEffects, minuteLog } from '../log/log.ts';
import type { AwsCredentials } from './aws-signature.ts';

/** The authentication of requests to an upstream. */
export type UpstreamAuth =
  /** By the client's own credential. */
  | { readonly kind: 'forward' }
  /**
   * By the operator's key in place of all client credentials: in a header with a lower-case name, or in the
   * query.
   */
  | { readonly kind: 'header' | 'query'; readonly name: string; readonly value: string }
  | SigningAuth;

/** The authentication settings of `upstreams.NAME`. */
interface AuthSettings {
  readonly api_key: string;
  readonly auth: AuthSetting;
}

/** AWS's standard variables, and a source of credentials besides them. */
export interface AwsAccess extends AwsEnvironment {
  readonly chain: CredentialSource;
}

/** Access without anything from the environment. */
export const NO_AWS: AwsAccess = { region: '', credentials: undefined, chain: async () => undefined };

/**
 * Returns the authentication for an upstream's settings; a key alone is sent as the vendor or cloud expects
 * it.
 */
export function readAuth(
  { api_key: key, auth }: AuthSettings,
  vendor: Vendor,
  origin: string,
  aws: AwsAccess = NO_AWS,
): UpstreamAuth {
  const { kind, name } = auth;
  if (kind === 'sigv4') {
    const { credentials, chain } = aws;
    return {
      ...{ kind, ...signingScope(name, origin, aws) },
      credentials: credentials === undefined ? chain : async () => credentials,
    };
  }
  if (key === '') return { kind: 'forward' };
  switch (kind) {
    case 'forward':
      return { kind: 'forward' };
    case 'bearer':
      return { kind: 'header', name: 'authorization', value: `Bearer ${key}` };
    case 'header':
      return { kind: 'header', name: name.toLowerCase(), value: key };
    case 'query':
      return { kind: 'query', name, value: key };
    case 'auto': {
      const write = cloudOf(vendor, origin)?.writeCredential ?? vendor.writeCredential;
      const [header, value] = write(key);
      return { kind: 'header', name: header, value };
    }
    default:
      return kind satisfies never;
  }
}

/** Returns credentials; undefined if there are none. Never rejects. */
export type CredentialSource = () => Promise<AwsCredentials | undefined>;

/**
 * Authentication by an AWS signature over the whole request, which `signed-send.ts` adds when the request is
 * sent.
 */
export interface SigningAuth {
  readonly kind: 'sigv4';
  readonly region: string;
  readonly service: string;
  readonly credentials: CredentialSource;
}

/** The parts of an upstream that affect its queries. */
interface QueryAuth {
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

/** Imports a module by name. Rejects if it is not installed. */
type ImportModule = (name: string) => Promise<unknown>;

/**
 * The vendor's package that finds profiles, roles and machine credentials. It is optional: operators who need
 * it install it.
 */
const CHAIN_PACKAGE = '@aws-sdk/credential-provider-node';

/**
 * Returns a source of credentials from the vendor's own chain, if its package is installed. The package loads
 * on first use; it caches credentials and renews them before they expire. Errors go to `onFailure`; their
 * messages may hold secrets.
 */
export function credentialChain(
  onFailure: (error: unknown) => void,
  importModule: ImportModule = (name) => import(name),
): CredentialSource {
  let provider: Promise<() => Promise<AwsCredentials>> | undefined;
  return async () => {
    try {
      provider ??= importModule(CHAIN_PACKAGE).then((module) => (module as ChainModule).defaultProvider());
      return await (await provider)();
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  };
}

/** The part of the package that is used. Source: @aws-sdk/credential-provider-node 3.972. */
interface ChainModule {
  defaultProvider(): () => Promise<AwsCredentials>;
}

/**
 * Returns a function that logs, at most once a minute, why no credentials were found. It logs only the name
 * of the error, as its message may be secret.
 */
export function failureLog(effects: LogEffects): (error: unknown) => void {
  const log = minuteLog(effects);
  return (error) => {
    const cause = causeCode(error) ?? (error instanceof Error ? error.name : undefined);
    log({ event: 'no_credentials', cause });
  };
}
