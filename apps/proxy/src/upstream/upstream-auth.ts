import { cloudOf, type Vendor } from '@winnow/wire';
import type { CredentialSource } from '../signing/read-signing.ts';
import { readSigning, type SigningAuth, type SigningSettings } from '../signing/read-signing.ts';

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

/** The authentication settings of `upstreams.NAME`, by key. */
export interface AuthSettings extends SigningSettings {
  readonly api_key: string;
  readonly 'auth.kind': 'auto' | 'forward' | 'bearer' | 'header' | 'query' | 'sigv4';
  readonly 'auth.name': string;
}

/**
 * Returns the authentication for an upstream's settings; a key alone is sent as the vendor or cloud expects
 * it. `chain` supplies signing credentials if the settings hold none.
 */
export function readAuth(
  settings: AuthSettings,
  vendor: Vendor,
  origin: string,
  chain: CredentialSource = async () => undefined,
): UpstreamAuth {
  const { api_key: key, 'auth.kind': kind, 'auth.name': name } = settings;
  if (kind === 'sigv4') return readSigning(settings, origin, chain);
  if (key === '') return { kind: 'forward' };
  switch (kind) {
    case 'forward':
      return { kind: 'forward' };
    case 'bearer':
      return { kind: 'header', name: 'authorization', value: `Bearer ${key}` };
    case 'header':
      return { kind: 'header', name: name.toLowerCase(), value: key };
    case 'query':
      return { kind: 'query', name: name || (vendor.credentialParameters?.[0] ?? ''), value: key };
    case 'auto': {
      const write = cloudOf(vendor, origin)?.writeCredential ?? vendor.writeCredential;
      const [header, value] = write(key);
      return { kind: 'header', name: header, value };
    }
    default:
      return kind satisfies never;
  }
}
