import { regionOf, type SigningSettings } from '../signing/read-signing.ts';

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
