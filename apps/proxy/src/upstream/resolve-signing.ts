import type { ClientRequest } from '../http/client-request.ts';
import { ProxyError } from '../http/proxy-error.ts';
import { isSigned, isSignedWith } from '../signing/client-signature.ts';
import type { Target, Upstream } from './choose-upstream.ts';

/**
 * Decides how a signed request, or one that needs a signature, is sent. A client's signature covers the host
 * that it calls, so it is invalid for any other: such a request is signed again or refused. Only a request
 * signed for the upstream's own host may pass unchanged.
 *
 * `now` returns milliseconds since 1970.
 *
 * @throws ProxyError with `no_credentials` if no credentials are available.
 */
export async function resolveSigning(
  { method, url, rawHeaders, headers }: Pick<ClientRequest, 'method' | 'url' | 'rawHeaders' | 'headers'>,
  target: Target,
  now: () => number,
): Promise<Target> {
  const { upstream } = target;
  const { auth } = upstream;
  const isClients = isSigned(rawHeaders);
  const credentials = auth.kind === 'sigv4' ? await auth.credentials() : undefined;
  if (credentials !== undefined) {
    if (!isClients) return target;
    const isKnown = isSignedWith({ method, path: url, headers: rawHeaders }, credentials, now());
    return { ...target, signedBy: isKnown ? { accessKeyId: credentials.accessKeyId } : 'unknown' };
  }
  const mustSign = auth.kind === 'sigv4' || (isClients && auth.kind === 'forward');
  if (!mustSign) return isClients ? { ...target, signedBy: 'unknown' } : target;
  const isForUpstream = isClients && headers.host?.toString().toLowerCase() === new URL(upstream.origin).host;
  if (!isForUpstream) throw missingCredentials(upstream);
  const asItCame: Upstream = { ...upstream, auth: { kind: 'forward' } };
  return { ...target, upstream: asItCame, signedBy: 'unknown', isSealed: true };
}

/** Returns the error that names the settings to set. */
export function missingCredentials({ name, auth }: Upstream): ProxyError {
  const own = `upstreams.${name}.auth`;
  const setting =
    auth.kind === 'sigv4'
      ? `set ${own}.access_key_id and ${own}.secret_access_key, or the AWS_ variables of its environment`
      : `set ${own}.kind: sigv4 and give it credentials, or send a Bedrock API key`;
  const message = `Requests to the upstream "${name}" need the proxy's signature, but the proxy has no credentials: ${setting}.`;
  return new ProxyError('no_credentials', message);
}
