import type { ClientSignal, LeaveListener } from '../upstream/client.ts';
import { isForwarded, type RawHeaders } from '../upstream/headers.ts';
import type { SendUpstream, UpstreamRequest } from '../upstream/send-upstream.ts';
import { type BodySource, UpstreamBody } from '../upstream/upstream-body.ts';
import { type Fetch, type FetchCall, FetchFailure, FetchRequest } from './fetch-call.ts';

/** Sends the requests of one exchange by the caller's own `fetch`, with the options of its call. */
export class FetchSender {
  /** The last response, and its body as the exchange reads it; undefined before the first. */
  last: { readonly response: Response; readonly body: UpstreamBody } | undefined;
  readonly #fetch: Fetch;
  readonly #call: FetchCall;
  #leaving: AbortController | undefined;

  constructor(fetch: Fetch, call: FetchCall) {
    this.#fetch = fetch;
    this.#call = call;
  }

  /** Aborts requests after the first: the caller has stopped reading its response. */
  leave(): void {
    this.#leaving?.abort();
  }

  /** The upstream may be silent for as long as the caller's `fetch` waits. */
  readonly send: SendUpstream = async (request) => {
    const response = await this.#request(request).catch((error: unknown) => {
      throw new FetchFailure(error);
    });
    const body = readFetchBody(response, request.signal);
    this.last = { response, body };
    return { status: response.status, headers: headersOf(response), body };
  };

  /** Makes the caller's own call. */
  sendOriginal(): Promise<Response> {
    const { given, url, method, rawHeaders, body, options, signal = null } = this.#call;
    const fetch = this.#fetch;
    if (given !== undefined) return fetch(...given);
    return fetch(url.href, { ...options, method, headers: toHeaders(rawHeaders), ...bodyOf(body), signal });
  }

  #request({ upstream, path, headers, body, method }: UpstreamRequest): Promise<Response> {
    // The only body that is not in one piece is the caller's own.
    const sent = body instanceof FetchRequest ? body.take() : (body as Uint8Array<ArrayBuffer> | null);
    if (this.last === undefined && this.#isOriginal(path, headers, sent)) return this.sendOriginal();
    const { options, rawHeaders } = this.#call;
    const all = toHeaders(headers);
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]!;
      if (!isForwarded(name) && !isDropped(name)) all.append(name, rawHeaders[at + 1]!);
    }
    const fetch = this.#fetch;
    return fetch(upstream.origin + path, {
      ...options,
      method,
      headers: all,
      ...bodyOf(sent),
      signal: this.#signal,
    });
  }

  /** Whether a request is the caller's own in all parts that an exchange may change. */
  #isOriginal(path: string, headers: readonly string[], body: Uint8Array | null): boolean {
    const { url, rawHeaders, body: own } = this.#call;
    if (path !== url.pathname + url.search || (body ?? own) !== own) return false;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]!;
      if (!isForwarded(name)) continue;
      if (headers[count] !== name || headers[count + 1] !== rawHeaders[at + 1]) return false;
      count += 2;
    }
    return count === headers.length;
  }

  /** Before the first response, there is nothing that the caller could stop reading. */
  get #signal(): AbortSignal | null {
    const { signal } = this.#call;
    if (this.last === undefined) return signal ?? null;
    this.#leaving ??= new AbortController();
    return signal === undefined ? this.#leaving.signal : AbortSignal.any([signal, this.#leaving.signal]);
  }
}

/** Whether a header of the caller must not be sent: it follows from the body, or is addressed to Winnow. */
function isDropped(name: string): boolean {
  return name === 'content-length' || name === 'transfer-encoding' || name.startsWith('x-winnow-');
}

function bodyOf(body: RequestInit['body']): Pick<RequestInit, 'body'> {
  const isEmpty = body == null || (body instanceof Uint8Array && body.length === 0);
  return isEmpty ? {} : { body };
}

function toHeaders(raw: RawHeaders): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}

/** Headers that describe encoded bytes: `fetch` has decoded them. */
const OF_ENCODED_BYTES: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

function headersOf({ headers }: Response): RawHeaders {
  const isEncoded = headers.has('content-encoding');
  const raw: string[] = [];
  for (const [name, value] of headers) if (!(isEncoded && OF_ENCODED_BYTES.has(name))) raw.push(name, value);
  return raw;
}

/**
 * Returns the body of a response of `fetch` for an exchange. The response is not touched before the body has a
 * reader; the body fails when the caller leaves.
 */
function readFetchBody(response: Response, signal: ClientSignal): UpstreamBody {
  const source = new FetchBody(response);
  signal.add(source);
  return source.body;
}

class FetchBody implements BodySource, LeaveListener {
  readonly body = new UpstreamBody(this, true);
  readonly #response: Response;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isPaused = true;
  #isReading = false;

  constructor(response: Response) {
    this.#response = response;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isReading) void this.#read();
  }

  abort(reason: Error): void {
    const cancelled =
      this.#reader === undefined ? this.#response.body?.cancel(reason) : this.#reader.cancel(reason);
    // A body that has failed cannot be cancelled, and need not be.
    cancelled?.catch(() => {});
  }

  onLeave(reason: Error): void {
    this.abort(reason);
    this.body.fail(reason);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      this.#reader ??= this.#response.body?.getReader();
      while (!this.#isPaused) {
        const { done, value } = (await this.#reader?.read()) ?? END;
        if (done) {
          this.body.finish();
          break;
        }
        this.body.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      }
    } catch (error) {
      this.body.fail(new FetchFailure(error));
    }
    this.#isReading = false;
  }
}

const END = { done: true, value: undefined } as const;
