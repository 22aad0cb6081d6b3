import type { IncomingMessage } from 'node:http';

/** The place that a secret path leads to. */
interface SecretPath {
  /** The name of the upstream. */
  readonly upstream: string;
  /** The path that clients may leave out in front of an API's own paths, such as `/v1`. Empty by default. */
  readonly version?: string;
}

/**
 * The only paths of a proxy that serves one command: by a first segment that no other user of the machine can
 * guess.
 */
export type SecretPaths = ReadonlyMap<string, SecretPath>;

/**
 * Replaces the secret start of a request's path by the name of its upstream. Returns false, and changes
 * nothing, for a request without one, which must be refused. Without secret paths, every request may pass
 * unchanged.
 */
export function entersBy(paths: SecretPaths | undefined, incoming: Pick<IncomingMessage, 'url'>): boolean {
  if (paths === undefined) return true;
  const { secret = '', rest = '' } =
    /^\/+(?<secret>[^/?]+)(?<rest>.*)$/s.exec(incoming.url ?? '')?.groups ?? {};
  const place = paths.get(secret);
  if (place === undefined) return false;
  incoming.url = `/${place.upstream}${withVersion(rest, place.version)}`;
  return true;
}

function withVersion(rest: string, version = ''): string {
  return version === '' || `${rest}/`.startsWith(`${version}/`) || !OWN_PATH.test(rest)
    ? rest
    : version + rest;
}

/**
 * Paths below the version that clients call directly below a base URL that they expect to end with it: the
 * AI SDK reads the same variable as Anthropic's own SDK, and expects `/v1` at its end.
 */
const OWN_PATH = /^\/(messages|models|files)\b/;
