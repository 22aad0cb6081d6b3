import type { RawHeaders } from './request-headers.ts';

/** Those of the upstream's connection, its encoding of the body, and what it means for its own clients' browsers. */
const DROPPED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'alt-svc',
  'set-cookie',
]);

/** They describe bytes that the proxy has changed. */
const OF_THE_BYTES = new Set(['content-encoding', 'content-length', 'content-md5', 'digest', 'etag']);

/** What happens to the body on its way to the client. */
export type BodyFate = 'untouched' | 'rewritten';

/** The headers of the answer to the client. An untouched body keeps its length and encoding. */
export function toClientHeaders(upstream: RawHeaders, fate: BodyFate): string[] {
  const headers: string[] = [];
  for (let at = 0; at < upstream.length; at += 2) {
    const name = upstream[at]!.toLowerCase();
    if (DROPPED.has(name) || (fate === 'rewritten' && OF_THE_BYTES.has(name))) continue;
    headers.push(upstream[at]!, upstream[at + 1]!);
  }
  return headers;
}
