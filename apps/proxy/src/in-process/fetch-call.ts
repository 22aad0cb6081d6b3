import type { Format } from '@winnow/wire';
import { findFormat, findStored } from '../reading/read-exchange.ts';
import { savesLittle } from '../strategies/saving-rules.ts';
import type { BodyReader, ClientRequest, RequestBody, StopReading } from '../upstream/client.ts';
import { type HeadersByName, headerValue, type RawHeaders } from '../upstream/headers.ts';
import { isSigned } from '../upstream/signing.ts';

/** A function that works like the global `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A call of `fetch` that is a request to a model, with its body in memory. */
export interface FetchCall {
  readonly method: string;
  readonly url: URL;
  /** The format of the request, or of the stored response that it is about. */
  readonly format: Format;
  /** Names and values in turn, names in lower case. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The arguments of the call; undefined if its body was a stream, which is now used up. */
  readonly given: Parameters<Fetch> | undefined;
  /** The caller's signal; undefined if it gave none. */
  readonly signal: AbortSignal | undefined;
  /** The other options of the call, for all requests that replace it. */
  readonly options: RequestInit;
}

/**
 * Reads a call of `fetch`. Returns undefined if its address is not that of a request to a model, if it is
 * signed, so that its body must not change, or if its body is not bytes. Nothing of such a call was read, so it
 * can be passed on unchanged. With `minDeferredTokens`, the same holds for a request whose text shows that it would
 * be left alone, for lack of tools or of as many tokens.
 *
 * Rejects if the caller's own stream fails, or when the caller leaves before its end.
 */
export async function readFetchCall(
  input: string | URL | Request,
  init: RequestInit = {},
  minDeferredTokens?: number,
): Promise<FetchCall | undefined> {
  const request = input instanceof Request ? input : undefined;
  const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
  const url = URL.parse(request?.url ?? String(input));
  const signal = init.signal ?? request?.signal;
  const format = url && formatOf(method, url);
  if (!format || signal?.aborted) return undefined;
  const source = init.body ?? request?.body ?? null;
  if (minDeferredTokens !== undefined && typeof source === 'string')
    if (isLeftAlone(source, format, { minDeferredTokens })) return undefined;
  const rawHeaders = rawHeadersOf(init.headers ?? request?.headers);
  if (isSigned(rawHeaders)) return undefined;
  const isStream = source instanceof ReadableStream;
  const body = isStream ? await readWhole(source, signal) : bytesOf(source);
  if (body === undefined) return undefined;
  if (typeof source === 'string' && headerValue(rawHeaders, 'content-type') === undefined) {
    rawHeaders.push('content-type', 'text/plain;charset=UTF-8');
  }
  return {
    method,
    url,
    format,
    rawHeaders,
    body,
    given: isStream ? undefined : [input, init],
    signal,
    options: request === undefined ? init : { ...optionsOf(request), ...init },
  };
}

/** Returns the format of a request to a model, or about a response that its provider stores. */
function formatOf(method: string, { protocol, pathname: path, search: query }: URL): Format | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return (findFormat(method, path) ?? findStored(method, { path, query }))?.format;
}

/**
 * Whether a request certainly has no tools, or is too short to save enough even if it were all tools, and its format
 * gives no other reason to edit it. Nothing that is remembered of such a request would matter later.
 */
function isLeftAlone(
  text: string,
  { capabilities }: Format,
  rules: { readonly minDeferredTokens: number },
): boolean {
  const { thinking, storedResponses, polyfill, hostedSearches } = capabilities;
  if (thinking || storedResponses || polyfill || hostedSearches) return false;
  // Counting bytes takes as long as encoding them: most texts with tools are too long even by their characters.
  const isShort = savesLittle(text.length, rules) && savesLittle(Buffer.byteLength(text), rules);
  return isShort || !text.includes('"tools"');
}

function bytesOf(body: RequestInit['body']): Buffer | undefined {
  if (body == null) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return undefined;
}

/** Rejects with the reason of the signal when that aborts, and cancels the stream. */
async function readWhole(stream: ReadableStream, signal: AbortSignal | undefined): Promise<Buffer> {
  const bytes = stream.pipeThrough(new TransformStream(), signal && { signal });
  return Buffer.from(await new Response(bytes).arrayBuffer());
}

function rawHeadersOf(headers: RequestInit['headers']): string[] {
  const raw: string[] = [];
  if (headers === undefined) return raw;
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  for (const [name, value] of pairs) raw.push(String(name).toLowerCase(), String(value));
  return raw;
}

/** Properties of a request that are also options of `fetch`, other than those that a call has by itself. */
const OPTIONS = [
  ...['cache', 'credentials', 'integrity', 'keepalive', 'mode', 'redirect', 'referrer', 'referrerPolicy'],
] as const satisfies readonly (keyof RequestInit & keyof Request)[];

/** Returns the options that differ from the defaults: some runtimes refuse to be given others. */
function optionsOf(request: Request): RequestInit {
  const plain = new Request(request.url);
  return Object.fromEntries(
    OPTIONS.filter((name) => request[name] !== plain[name]).map((name) => [name, request[name]]),
  );
}

/** A call of `fetch` as an exchange reads it. Its body has arrived, and every reader gets all of it. */
export class FetchRequest implements ClientRequest, RequestBody {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersByName;
  readonly rawHeaders: RawHeaders;
  /** This process itself is the client. */
  readonly remoteAddress = '';
  readonly isWhole = true;
  readonly #bytes: Buffer;
  #see: (piece: Uint8Array) => void = () => {};

  /** `added` are further headers: names in lower case and values in turn. */
  constructor({ method, url, rawHeaders, body }: FetchCall, added: readonly string[]) {
    this.method = method;
    this.url = url.pathname + url.search;
    const length = body.length === 0 ? [] : ['content-length', String(body.length)];
    this.rawHeaders = [...rawHeaders, ...added, ...length];
    this.headers = byName(this.rawHeaders);
    this.#bytes = body;
  }

  get body(): RequestBody {
    return this;
  }

  /** Calls the reader in a later turn: the caller needs the returned function first. */
  readBy(reader: BodyReader): StopReading {
    let isStopped = false;
    queueMicrotask(() => {
      if (!isStopped) reader.onPiece(this.take());
      if (!isStopped) reader.onEnd();
    });
    return () => {
      isStopped = true;
    };
  }

  tap(see: (piece: Uint8Array) => void): void {
    this.#see = see;
  }

  /** Returns the whole body. */
  take(): Buffer {
    this.#see(this.#bytes);
    return this.#bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    yield this.take();
  }
}

function byName(headers: RawHeaders): HeadersByName {
  const named: Record<string, string> = Object.create(null);
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    named[name] = named[name] === undefined ? value : `${named[name]}, ${value}`;
  }
  return named;
}

/** A failure of the caller's `fetch`, or of the body of its response, which the caller finally gets. */
export class FetchFailure extends Error {
  /** Marks it as a transport error, whatever the runtime throws. */
  readonly code = 'FETCH_FAILED';

  constructor(cause: unknown) {
    super('fetch failed', { cause });
  }
}

/** Returns the error that the caller's `fetch` threw, if an error comes from it; otherwise the error itself. */
export function originalOf(error: unknown): unknown {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof FetchFailure) return current.cause;
  }
  return error;
}
