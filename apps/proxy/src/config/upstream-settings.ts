import type { ValuesOf } from '@winnow/service';
import type { UPSTREAM_SETTINGS } from './settings.ts';

type UpstreamAuthSettings = Pick<ValuesOf<typeof UPSTREAM_SETTINGS>, 'api_key' | 'auth' | 'base_url'>;

/** Returns the problems in how an upstream's authentication settings combine, one sentence each. */
export function authProblems(
  name: string,
  { api_key: key, auth, base_url: url }: UpstreamAuthSettings,
  aws: AwsEnvironment,
): string[] {
  const { kind } = auth;
  const problems: string[] = [];
  const own = `upstreams.${name}`;
  if ((kind === 'forward' || kind === 'sigv4') && key !== '') {
    problems.push(`${own}.api_key has no effect because ${own}.auth is ${kind}: remove one of them.`);
  }
  if ((kind === 'header' || kind === 'query' || kind === 'bearer') && key === '') {
    problems.push(`${own}.api_key must be set because ${own}.auth is ${kind}.`);
  }
  if (kind === 'header' && OF_THE_MESSAGE.has(auth.name.toLowerCase())) {
    problems.push(`${own}.auth must name a header for a credential.`);
  }
  if (kind === 'sigv4' && signingScope(auth.name, url, aws).region === '') {
    problems.push(
      `${own}.auth must be sigv4:REGION because the base URL names no region and AWS_REGION is not set.`,
    );
  }
  return problems;
}

/** Headers that route or frame a message. A key in one of them would break the request. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The standard variables of AWS: the region is empty, and the credentials are undefined, if they are not set. */
export interface AwsEnvironment {
  readonly region: string;
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined;
}

/**
 * Reads the standard variables of AWS.
 *
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html.
 */
export function readAwsEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): AwsEnvironment {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = environment;
  return {
    region: environment.AWS_REGION || environment.AWS_DEFAULT_REGION || '',
    credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
        : undefined,
  };
}

/**
 * Returns the region and the service that requests are signed for: those of the setting, else those of a Bedrock
 * host, else the region of the environment. The region is empty if none is known.
 *
 * Source: https://docs.aws.amazon.com/general/latest/gr/bedrock.html.
 */
export function signingScope(
  name: string,
  address: string,
  { region: fallback }: Pick<AwsEnvironment, 'region'>,
): { readonly region: string; readonly service: string } {
  const [region = '', service = ''] = name.split('/');
  const [, part = '', place = ''] =
    /^https?:\/\/(bedrock[a-z-]*)\.([a-z]{2}[a-z0-9-]*-\d+)\./.exec(address) ?? [];
  return {
    region: region || place || fallback,
    service: service || (part.startsWith('bedrock-mantle') ? 'bedrock-mantle' : 'bedrock'),
  };
}
