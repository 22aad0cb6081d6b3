import type { Readable } from 'node:stream';
import { ExpandResponse, type ListedTool, parseJson, readText, ToolListResponse } from '@winnow/core';
import type { HttpPool } from '@winnow/service';
import { z } from 'zod';

/** The registry to connect to. */
export interface RegistryClientOptions {
  /** Its address, such as `https://registry:8789`. */
  readonly url: string;
  /** The bearer token; empty to send none. */
  readonly token: string;
}

/** A position in the history of changes: after an event of a change, or after the whole change. */
export interface ChangePlace {
  readonly epoch: string;
  readonly version: number;
  readonly index?: number;
}

/** The tool to read again after an event. */
export interface TouchedTool {
  readonly version: number;
  readonly index: number;
  /** Undefined when all tools have to be read again. */
  readonly id: string | undefined;
}

/** An open feed of changes. */
export interface ChangeFeed {
  /** The version of the content when the feed was opened. */
  readonly version: number;
  readonly epoch: string;
  /** Changes when the token may see other tools than before. */
  readonly sight: string;
  /** Ends when the registry ends it. Rejects with a `RegistryFailure`. */
  readonly events: AsyncIterable<readonly TouchedTool[]>;
  close(): void;
}

/** Reads a registry over HTTP. Every failure is a `RegistryFailure`, unless the signal has aborted. */
export interface RegistryReader {
  /** Follows changes from a position, or from now on. */
  openChanges(place: ChangePlace | undefined, signal: AbortSignal): Promise<ChangeFeed>;
  /** Returns all tools with their definitions, page by page. */
  list(signal: AbortSignal): AsyncIterable<readonly ListedTool[]>;
  /** Returns the existing tools among these ids. */
  expand(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ListedTool>>;
}

/** The most tools that a registry lists and expands at once. */
const PAGE_SIZE = 100;
const EXPANSION_SIZE = 50;

/** The limits on a body; a page of the largest definitions has about 26 MB, and of usual ones 10,000 values. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_BODY_VALUES = 500_000;

/** The time until a response must begin, and its longest pause after that, in milliseconds. */
const SILENCE_MS = 30_000;

/**
 * The longest pause of the feed. It has a heartbeat every 15 seconds; after three missing ones, the
 * connection is dead.
 */
const FEED_SILENCE_MS = 45_000;

const FeedHeaders = z.object({
  'winnow-registry-epoch': z.string().min(1),
  'winnow-registry-version': z.string().regex(/^\d{1,15}$/),
  'winnow-registry-sight': z.string().default(''),
});

/** An event of a change. Unknown types of events are changes of tools as well. */
const Touch = z.object({ version: z.int().min(0), index: z.int().min(0), id: z.string().optional() });

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly accept?: string;
  /** The longest pause of the response, in milliseconds. */
  readonly silenceMs?: number;
  readonly signal: AbortSignal;
}

export function createRegistryClient(
  { url, token }: RegistryClientOptions,
  agent: Pick<HttpPool, 'request'>,
): RegistryReader {
  const { origin, pathname } = new URL(url);
  const base = `${pathname.replace(/\/$/, '')}/v1/registry`;

  async function request({ method, path, body, accept = 'application/json', ...call }: Call) {
    const { silenceMs = SILENCE_MS, signal } = call;
    const response = await agent
      .request({
        origin,
        path,
        method,
        headers: {
          accept,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== '' && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headersTimeout: Math.min(silenceMs, SILENCE_MS),
        bodyTimeout: silenceMs,
        signal,
      })
      .catch(toUnreachable);
    if (response.statusCode === 200) return response;
    letGo(response.body);
    throw failureOf(response.statusCode);
  }

  async function readBody<Body>(call: Call, form: z.ZodType<Body>): Promise<Body> {
    const { body } = await request(call);
    const read = form.safeParse(parseJson(await readWhole(body, MAX_BODY_BYTES).catch(toUnreachable)));
    if (!read.success) throw new RegistryFailure('invalid_response', 'the body has an unexpected form');
    return read.data;
  }

  return {
    async openChanges(place, signal) {
      const path = `${base}/changes${place === undefined ? '' : `?${queryOf(place)}`}`;
      const { headers, body } = await request({
        method: 'GET',
        path,
        accept: 'text/event-stream',
        silenceMs: FEED_SILENCE_MS,
        signal,
      });
      const read = FeedHeaders.safeParse(headers);
      if (!read.success) {
        letGo(body);
        throw new RegistryFailure('invalid_response', 'the feed has unexpected headers');
      }
      return {
        version: Number(read.data['winnow-registry-version']),
        epoch: read.data['winnow-registry-epoch'],
        sight: read.data['winnow-registry-sight'],
        events: readTouches(body),
        close: () => letGo(body),
      };
    },
    async *list(signal) {
      for (let cursor = ''; ; ) {
        const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const path = `${base}/tools?include=schemas&page_size=${PAGE_SIZE}${more}`;
        const page = await readBody({ method: 'GET', path, signal }, ToolListResponse);
        yield page.tools;
        if (page.next_cursor === undefined) return;
        cursor = page.next_cursor;
      }
    },
    async expand(ids, signal) {
      const found = new Map<string, ListedTool>();
      const wanted = new Set(ids);
      for (let from = 0; from < ids.length; from += EXPANSION_SIZE) {
        const body = { ids: ids.slice(from, from + EXPANSION_SIZE) };
        const { tools } = await readBody({ method: 'POST', path: `${base}/expand`, body, signal }, Expanded);
        // The id of a removed tool may be the model name of another tool, which the registry then returns.
        for (const tool of tools) if (wanted.has(tool.id)) found.set(tool.id, tool);
      }
      return found;
    },
  };
}

/** Without `format`, definitions are in MCP's form, like in lists. */
const Expanded = ExpandResponse.pick({ tools: true }).extend({ tools: ToolListResponse.shape.tools });

function queryOf({ epoch, version, index }: ChangePlace): string {
  const since = index === undefined ? String(version) : `${version}.${index}`;
  return new URLSearchParams({ since, epoch }).toString();
}

async function* readTouches(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly TouchedTool[]> {
  try {
    for await (const events of readServerEvents(body)) yield events.map(toTouch);
  } catch (error) {
    toUnreachable(error);
  }
}

function toTouch(data: string): TouchedTool {
  const read = Touch.safeParse(parseJson(data));
  if (!read.success) throw new RegistryFailure('invalid_response', 'an event has an unexpected form');
  const { version, index, id } = read.data;
  return { version, index, id };
}

async function readWhole(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const text = await readText(body, { maxBytes, maxValues: MAX_BODY_VALUES });
  if (text === undefined) throw tooLarge();
  return text;
}

function tooLarge(): RegistryFailure {
  return new RegistryFailure('invalid_response', 'the body is too large');
}

/**
 * Ends a response without reading the rest. Undici emits an error for it, which would end the process if
 * there were no listener.
 */
function letGo(body: Readable): void {
  body.on('error', () => {});
  body.destroy();
}

function failureOf(status: number): RegistryFailure {
  const isRefused = status === 401 || status === 403;
  const reason = isRefused ? 'refused' : status === 409 ? 'stale' : 'unavailable';
  return new RegistryFailure(reason, `status ${status}`, { status });
}

function toUnreachable(cause: unknown): never {
  if (cause instanceof RegistryFailure) throw cause;
  if (cause instanceof RangeError) throw new RegistryFailure('invalid_response', cause.message, { cause });
  const { code } = cause as NodeJS.ErrnoException;
  throw new RegistryFailure('unreachable', code ?? 'the connection failed', { cause });
}

/** The reasons why a registry is not followed, used as labels of metrics and in the log. */
export const REGISTRY_FAILURES = [
  /** The connection failed, was cut off, or was silent for too long. */
  'unreachable',
  /** The registry has ended the feed: it restarts, or has disconnected this follower. */
  'ended',
  /** The token is not accepted, or may not read. */
  'refused',
  /** The missed changes are no longer available, or the registry was reset: all tools are listed again. */
  'stale',
  /** The status is not a success, for example because the registry is starting. */
  'unavailable',
  /** The response does not have the form of a registry's. */
  'invalid_response',
  /** The registry has more tools than the follower accepts. */
  'too_many_tools',
] as const;

export type RegistryFailureReason = (typeof REGISTRY_FAILURES)[number];

/** An error that ends one attempt to follow a registry. */
export class RegistryFailure extends Error {
  override readonly name = 'RegistryFailure';
  readonly reason: RegistryFailureReason;
  /** The status of a response that is not a success. */
  readonly status: number | undefined;

  constructor(
    reason: RegistryFailureReason,
    message: string,
    { cause, status }: { readonly cause?: unknown; readonly status?: number } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.status = status;
  }
}

/** The default limit on one event, in characters. */
const MAX_EVENT_CHARS = 1024 * 1024;

/**
 * Reads the data of server-sent events: for each piece of the stream that completes events, a list of their
 * data. Other fields and comments are ignored.
 *
 * Throws a RangeError when an event is too large. Source:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function* readServerEvents(
  pieces: AsyncIterable<Uint8Array>,
  maxEventChars = MAX_EVENT_CHARS,
): AsyncGenerator<readonly string[], void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let chars = 0;
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop()!;
    const events: string[] = [];
    for (const line of lines) {
      const field = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (field.startsWith('data:')) {
        data.push(field.slice('data:'.length).trimStart());
        chars += field.length;
      } else if (field === '' && data.length > 0) {
        events.push(data.join('\n'));
        [data, chars] = [[], 0];
      }
    }
    if (rest.length + chars > maxEventChars) throw new RangeError('an event is too large');
    if (events.length > 0) yield events;
  }
}
