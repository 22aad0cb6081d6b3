import type { ValuesOf } from '@winnow/service';
import type { Vendor } from '@winnow/wire';
import type { UPSTREAM_SETTINGS } from './settings.ts';

type AuthSettings = ValuesOf<typeof UPSTREAM_SETTINGS>;

/** Returns the problems in how an upstream's authentication settings combine, one sentence each. */
export function authProblems(name: string, settings: AuthSettings, vendor: Vendor): string[] {
  const { api_key: key, 'auth.kind': kind, 'auth.name': parameter } = settings;
  const problems: string[] = [];
  const own = `upstreams.${name}`;
  const isNamed = kind === 'header' || kind === 'query';
  if (kind === 'forward' && key !== '') {
    problems.push(`${own}.api_key has no effect because ${own}.auth.kind is forward: remove one of them.`);
  }
  if ((isNamed || kind === 'bearer') && key === '') {
    problems.push(`${own}.api_key must be set because ${own}.auth.kind is ${kind}.`);
  }
  problems.push(...signingProblems(own, settings));
  if (!isNamed && parameter !== '') {
    problems.push(`${own}.auth.name has no effect without ${own}.auth.kind: header or query.`);
  }
  if ((kind === 'header' || (kind === 'query' && !vendor.credentialParameters?.length)) && parameter === '') {
    problems.push(`${own}.auth.name must be set because ${own}.auth.kind is ${kind}.`);
  }
  if (kind === 'header' && OF_THE_MESSAGE.has(parameter.toLowerCase())) {
    problems.push(`${own}.auth.name must be the name of a header for a credential.`);
  }
  return problems;
}

const SIGNING_FIELDS = ['region', 'service', 'access_key_id', 'secret_access_key', 'session_token'] as const;

function signingProblems(own: string, settings: AuthSettings): string[] {
  if (settings['auth.kind'] !== 'sigv4') {
    return SIGNING_FIELDS.filter((field) => settings[`auth.${field}`] !== '').map(
      (field) => `${own}.auth.${field} has no effect without ${own}.auth.kind: sigv4.`,
    );
  }
  const problems: string[] = [];
  if (settings.api_key !== '') {
    problems.push(`${own}.api_key has no effect because ${own}.auth.kind is sigv4: remove one of them.`);
  }
  if (settings['auth.region'] === '') {
    problems.push(
      `${own}.auth.region must be set because the base URL names no region and AWS_REGION is not set.`,
    );
  }
  if ((settings['auth.access_key_id'] === '') !== (settings['auth.secret_access_key'] === '')) {
    problems.push(`${own}.auth.access_key_id and ${own}.auth.secret_access_key must be set together.`);
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

/** The settings of an upstream that the environment variables of the AWS tools can complete. */
interface SigningUpstream extends SigningSettings {
  readonly base_url: string;
  readonly 'auth.kind': string;
}

/**
 * Returns an upstream's settings completed from the standard AWS variables; only upstreams that sign requests
 * change. The access key, the secret and the session token come from the same place: an id with the secret of
 * another key signs nothing.
 *
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html.
 */
export function withAwsEnvironment<Upstream extends SigningUpstream>(
  upstream: Upstream,
  environment: Readonly<Record<string, string | undefined>>,
): Upstream {
  if (upstream['auth.kind'] !== 'sigv4') return upstream;
  const value = (name: string) => environment[name] ?? '';
  const region =
    upstream['auth.region'] ||
    regionOf(upstream.base_url) ||
    value('AWS_REGION') ||
    value('AWS_DEFAULT_REGION');
  const ofEnvironment = {
    'auth.access_key_id': value('AWS_ACCESS_KEY_ID'),
    'auth.secret_access_key': value('AWS_SECRET_ACCESS_KEY'),
    'auth.session_token': value('AWS_SESSION_TOKEN'),
  };
  const hasOwn = upstream['auth.access_key_id'] !== '' || upstream['auth.secret_access_key'] !== '';
  const isWhole =
    ofEnvironment['auth.access_key_id'] !== '' && ofEnvironment['auth.secret_access_key'] !== '';
  return { ...upstream, 'auth.region': region, ...(!hasOwn && isWhole && ofEnvironment) };
}

/** The signing settings of `upstreams.NAME.auth`, by key. Empty if not set. */
export interface SigningSettings {
  readonly 'auth.region': string;
  readonly 'auth.service': string;
  readonly 'auth.access_key_id': string;
  readonly 'auth.secret_access_key': string;
  readonly 'auth.session_token': string;
}

/** Returns the region in an AWS address; empty for other addresses. */
function regionOf(origin: string): string {
  return placeOf(origin).region;
}

/**
 * Returns the region and service of a Bedrock host. Source:
 * https://docs.aws.amazon.com/general/latest/gr/bedrock.html.
 */
export function placeOf(origin: string): { readonly region: string; readonly service: string } {
  const [, part = '', region = ''] =
    /^https?:\/\/(bedrock[a-z-]*)\.([a-z]{2}[a-z0-9-]*-\d+)\./.exec(origin) ?? [];
  return { region, service: part.startsWith('bedrock-mantle') ? 'bedrock-mantle' : 'bedrock' };
}
