import type { AwsCredentials } from './aws-signature.ts';

/** Gives credentials, undefined when there are none. Never rejects. */
export type CredentialSource = () => Promise<AwsCredentials | undefined>;

/** Authentication by a signature over the whole request, as AWS wants it: it is made where that is sent, by `signed-send.ts`. */
export interface SigningAuth {
  readonly kind: 'sigv4';
  readonly region: string;
  readonly service: string;
  readonly credentials: CredentialSource;
}

/** The settings of signing: those of `upstreams.NAME.auth`, by key. Empty where they are not set. */
export interface SigningSettings {
  readonly 'auth.region': string;
  readonly 'auth.service': string;
  readonly 'auth.access_key_id': string;
  readonly 'auth.secret_access_key': string;
  readonly 'auth.session_token': string;
}

/** What the settings of signing come to. `chain` is asked where they hold no credentials. */
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

/** The region that an address of AWS's names; empty for any other. */
export function regionOf(origin: string): string {
  return placeOf(origin).region;
}

/** Hosts of Bedrock. Source: https://docs.aws.amazon.com/general/latest/gr/bedrock.html. */
function placeOf(origin: string): { readonly region: string; readonly service: string } {
  const [, part = '', region = ''] =
    /^https?:\/\/(bedrock[a-z-]*)\.([a-z]{2}[a-z0-9-]*-\d+)\./.exec(origin) ?? [];
  return { region, service: part.startsWith('bedrock-mantle') ? 'bedrock-mantle' : 'bedrock' };
}
