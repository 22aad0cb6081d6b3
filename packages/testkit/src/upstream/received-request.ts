import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { parseJson } from '@winnow/core';
import type { AnswerProgress } from './answer-progress.ts';
import type { Rejection } from './rejection.ts';
import { type Route, routeOf } from './route-of.ts';

/** A received request, exact to the byte. */
export interface RequestContent {
  readonly method: string;
  /** Includes the query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternate, as sent: repeated headers and capitals are visible here. */
  readonly rawHeaders: readonly string[];
  /** The body as it was sent. */
  readonly bytes: Buffer;
  /** The body, decompressed, as UTF-8. */
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  readonly route: Route;
}

/** A request that the upstream received, with its outcome. */
export interface ReceivedRequest extends RequestContent {
  /** Counts from 0, in order of arrival. */
  readonly number: number;
  /** The validator's finding; undefined for a valid request. */
  readonly rejection: Rejection | undefined;
  readonly answer: AnswerProgress;
}

/** Reads a request to its end. Rejects if the client leaves first. */
export async function receiveRequest(incoming: IncomingMessage): Promise<RequestContent> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const { method = 'GET', url: path = '/', headers, rawHeaders } = incoming;
  const text = decompress(bytes, headers['content-encoding']).toString('utf8');
  return {
    method,
    path,
    headers,
    rawHeaders,
    bytes,
    text,
    json: parseJson(text),
    route: routeOf(method, path),
  };
}

const DECODERS = new Map<string, (bytes: Buffer) => Buffer>([
  ['gzip', (bytes) => gunzipSync(bytes)],
  ['deflate', (bytes) => inflateSync(bytes)],
  ['br', (bytes) => brotliDecompressSync(bytes)],
  ['zstd', (bytes) => zstdDecompressSync(bytes)],
]);

function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  return DECODERS.get(encoding ?? '')?.(bytes) ?? bytes;
}
