import { CREDENTIAL_PROTOCOLS } from '@winnow/wire';
import { headerValue, type RawHeaders } from '../http/headers.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';

const HEADER = 'sec-websocket-protocol';

/**
 * Returns the credentials among the subprotocols that a client offers, names and values in turn: a browser
 * cannot add a header to a WebSocket.
 */
export function protocolCredentials(headers: RawHeaders): readonly string[] {
  return offered(headers).flatMap((protocol) => {
    const value = credentialOf(protocol);
    return value === undefined ? [] : [HEADER, value];
  });
}

/**
 * Returns the subprotocols to offer to an upstream: the client's, without credentials for other recipients;
 * undefined if none is left. An operator's key replaces every client credential, and the proxy's own tokens
 * never pass.
 */
export function upstreamProtocols(
  headers: RawHeaders,
  { auth, isOwnToken }: Pick<Upstream, 'auth' | 'isOwnToken'>,
): string | undefined {
  const kept = offered(headers).filter((protocol) => {
    const value = credentialOf(protocol);
    return value === undefined || (auth.kind === 'forward' && isOwnToken?.(value) !== true);
  });
  return kept.length === 0 ? undefined : kept.join(', ');
}

function offered(headers: RawHeaders): string[] {
  const protocols = headerValue(headers, HEADER)?.split(',') ?? [];
  return protocols.map((protocol) => protocol.trim()).filter(Boolean);
}

function credentialOf(protocol: string): string | undefined {
  const prefix = CREDENTIAL_PROTOCOLS.find((start) => protocol.startsWith(start));
  return prefix === undefined ? undefined : protocol.slice(prefix.length);
}
