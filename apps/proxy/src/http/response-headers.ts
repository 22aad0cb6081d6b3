import { connectionNames, type RawHeaders } from './headers.ts';

/** Headers of the upstream's connection, and those meant for browsers of the upstream's own clients. */
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

/** Headers that describe bytes which the proxy has changed. */
const OF_THE_BYTES = new Set(['content-encoding', 'content-length', 'content-md5', 'digest', 'etag']);

/**
 * The fate of a body on its way to the client. A `measured` body gets the length of the bytes that are sent.
 */
export type BodyFate = 'untouched' | 'measured' | 'rewritten';

/** Returns the headers of the response to the client. An untouched body keeps its length and encoding. */
export function toClientHeaders(upstream: RawHeaders, fate: BodyFate): string[] {
  const ofConnection = connectionNames(upstream);
  const headers: string[] = [];
  for (let at = 0; at < upstream.length; at += 2) {
    const name = upstream[at]!.toLowerCase();
    const isOfBytes = fate === 'measured' ? name === 'content-length' : OF_THE_BYTES.has(name);
    if (DROPPED.has(name) || ofConnection.has(name) || (fate !== 'untouched' && isOfBytes)) continue;
    headers.push(upstream[at]!, upstream[at + 1]!);
  }
  return headers;
}

/** Remaining rate limits at the provider: only the last response has current values. */
const OF_LIMITS = /^(anthropic-ratelimit-|x-ratelimit-)/;

/** Figures of a single response (Bedrock). The body has the totals. */
const OF_ONE_RESPONSE = /^x-amzn-bedrock-.*-(count|latency)$/;

/**
 * Merges the headers of joined responses: those of the first with the rate limits of the last, without the
 * figures of a single response.
 */
export function mergeHeaders(first: RawHeaders, last: RawHeaders): string[] {
  const isLimit = (name: string) => OF_LIMITS.test(name.toLowerCase());
  const isOfOne = (name: string) => first !== last && OF_ONE_RESPONSE.test(name.toLowerCase());
  return [...pick(first, (name) => !isLimit(name) && !isOfOne(name)), ...pick(last, isLimit)];
}

function pick(headers: RawHeaders, isWanted: (name: string) => boolean): string[] {
  const picked: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (isWanted(headers[at]!)) picked.push(headers[at]!, headers[at + 1]!);
  }
  return picked;
}
