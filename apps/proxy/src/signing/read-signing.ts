import type { AwsCredentials } from './aws-signature.ts';

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

/** The signing settings of `upstreams.NAME.auth`, by key. Empty if not set. */
export interface SigningSettings {
  readonly 'auth.region': string;
  readonly 'auth.service': string;
  readonly 'auth.access_key_id': string;
  readonly 'auth.secret_access_key': string;
  readonly 'auth.session_token': string;
}

/** Returns the signing configuration. `chain` supplies credentials if the settings hold none. */
export function readSigning(settings: SigningSettings, origin: string, chain: CredentialSource): SigningAuth {
  const place = placeOf(origin);
  const {
    'auth.access_key_id': accessKeyId,
    'auth.secret_access_key': secretAccessKey,
    'auth.session_token': sessionToken,
  } = settings;
  const own = { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) };
  return {
    kind: 'sigv4',
    region: settings['auth.region'] || place.region,
    service: settings['auth.service'] || place.service,
    credentials: accessKeyId === '' ? chain : async () => own,
  };
}

/** Returns the region in an AWS address; empty for other addresses. */
export function regionOf(origin: string): string {
  return placeOf(origin).region;
}

/**
 * Returns the region and service of a Bedrock host. Source:
 * https://docs.aws.amazon.com/general/latest/gr/bedrock.html.
 */
function placeOf(origin: string): { readonly region: string; readonly service: string } {
  const [, part = '', region = ''] =
    /^https?:\/\/(bedrock[a-z-]*)\.([a-z]{2}[a-z0-9-]*-\d+)\./.exec(origin) ?? [];
  return { region, service: part.startsWith('bedrock-mantle') ? 'bedrock-mantle' : 'bedrock' };
}
