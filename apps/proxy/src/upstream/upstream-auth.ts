import { cloudOf, type Vendor } from '@winnow/wire';
import type { CredentialSource } from '../signing/read-signing.ts';
import { readSigning, type SigningAuth, type SigningSettings } from '../signing/read-signing.ts';

/** How requests to an upstream are authenticated. */
export type UpstreamAuth =
  /** By the client's own credential. */
  | { readonly kind: 'forward' }
  /** By the operator's key, in place of every credential of the client: in a header, of a name in small letters, or in the query. */
  | { readonly kind: 'header' | 'query'; readonly name: string; readonly value: string }
  | SigningAuth;

/** The settings of it: those of `upstreams.NAME`, by key. */
export interface AuthSettings extends SigningSettings {
  readonly api_key: string;
  readonly 'auth.kind': 'auto' | 'forward' | 'bearer' | 'header' | 'query' | 'sigv4';
  readonly 'auth.name': string;
}

/**
 * What the settings of an upstream come to: with a key and nothing else, what its vendor or its cloud takes. `chain` finds credentials to sign with
 * where the settings hold none.
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
