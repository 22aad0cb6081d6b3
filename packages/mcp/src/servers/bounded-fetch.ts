import { AsyncLocalStorage } from 'node:async_hooks';
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { lookup as lookUp } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { type HttpPool, httpProxiesOf, openHttpPool } from '@winnow/service';
import { fetch } from 'undici';
import { LIMITS_TEXT, MESSAGE_LIMITS } from './server-connection.ts';
import type { HttpTransport } from './server-entry.ts';

/** A `fetch` for one server, with separate connections, which end when it is closed. */
interface BoundedFetch {
  readonly fetch: FetchLike;
  close(): Promise<void>;
}

/** An address that a server names although it may not. */
class ForeignAddress extends Error {
  override readonly name = 'ForeignAddress';
  readonly code = 'EFOREIGN';
}

/** Target of a bounded fetch: a server, and the authorization server of its configuration. */
interface FetchedServer extends Pick<HttpTransport, 'url' | 'deniesPrivate' | 'headers'> {
  readonly issuer: string | undefined;
  /** Receives the text of each message of the server, before the message itself is read. */
  readonly onMessage: (text: string) => void;
}

/** A message on its way, in all requests of HTTP that the vendor's client sends for it. */
export const SENDING = new AsyncLocalStorage<{
  /** Its text, in place of the one that the vendor's client writes. */
  readonly text: string;
  /** The stream of its response has ended, and cannot be resumed; undefined if none is expected. */
  readonly onEnd: (() => void) | undefined;
}>();

/**
 * Sends requests whose responses are limited, regardless of their declared lengths, and which reach no private
 * address if the server's settings forbid that. Names that only an HTTP proxy can look up are left to its rules.
 * The caller decides which redirects are followed.
 *
 * A server may name further addresses, such as that of its metadata (`resource_metadata`). Only the origins of
 * the server and of the configured issuer are used for those. Tokens are requested where the issuer says, but
 * at a private address only if the issuer has one itself. Configured headers go only to the server.
 *
 * Sources: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization,
 * https://www.rfc-editor.org/rfc/rfc9728#section-7.7
 */
export function createBoundedFetch(server: FetchedServer): BoundedFetch {
  const { url: serverUrl, deniesPrivate } = server;
  // Streams are silent for hours.
  const timeouts = { bodyTimeout: 0, headersTimeout: 0 };
  const publicAgent = openHttpPool({ ...timeouts, connect: { lookup: lookupPublic as never } });
  const agent: HttpPool = deniesPrivate ? publicAgent : openHttpPool(timeouts);
  const isProxied = httpProxiesOf() !== undefined;
  const bounded: FetchLike = async (url, init) => {
    const { hostname, origin } = new URL(url);
    const needsPublic = deniesPrivate || (await isStrange(origin, init?.method, server));
    // A literal address is not looked up.
    if (needsPublic && isLiteral(hostname) && isPrivateAddress(toAddress(hostname))) {
      throw new PrivateAddress('The address is private.');
    }
    // A proxy looks the name up itself, and may know names that this machine does not.
    if (needsPublic && isProxied && (await isPrivateHost(hostname))) {
      throw new PrivateAddress('The address is private.');
    }
    const sending = SENDING.getStore();
    const isOwn = String(url) === new URL(serverUrl).href;
    const body = isOwn && typeof init?.body === 'string' ? sending?.text : undefined;
    const headersSent = [...headersFor(origin, init?.headers, server)];
    const sent = { ...init, headers: headersSent, ...(body !== undefined && { body }) };
    const dispatcher = needsPublic ? publicAgent : agent;
    const onEnd = isOwn && init?.method === 'GET' ? sending?.onEnd : undefined;
    // The client resumes a stream from its beginning, or tries for ever, where the stream cannot be resumed.
    const isLost = onEnd !== undefined && !new Headers(init?.headers).has('last-event-id');
    const response = (await (isLost
      ? Promise.reject(new Error('The stream cannot be resumed.'))
      : fetch(url, { ...(sent as object), dispatcher })
    ).catch((error) => {
      onEnd?.();
      throw error;
    })) as unknown as Response;
    if (!response.ok) onEnd?.();
    const statusText = waitOf(response) ?? response.statusText;
    if (response.body === null) return response;
    if (response.status >= 400 && !isOwn) return plainError(response);
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    // A stream that the client opens only for notifications may last for days.
    const maxMessages = init?.method === 'POST' ? MESSAGE_LIMITS.messages : Number.POSITIVE_INFINITY;
    const bounded = response.body.pipeThrough(boundBytes(isStream, maxMessages));
    const read =
      isOwn && response.ok ? bounded.pipeThrough(tellMessages(isStream, server.onMessage)) : bounded;
    const { status, headers } = response;
    return new Response(read, { status, statusText, headers: new Headers([...headers]) });
  };
  return {
    fetch: bounded,
    close: async () => {
      await Promise.all([agent.destroy(), publicAgent.destroy()]);
    },
  };
}

/** Returns `Retry-After` as the status text, which is the only place that the vendor's client passes on. */
function waitOf({ status, headers }: Response): string | undefined {
  const wait = headers.get('retry-after');
  return status >= 400 && wait !== null && /^[\w ,:+-]{1,40}$/.test(wait)
    ? `Retry-After: ${wait}`
    : undefined;
}

/**
 * Whether an origin that is neither the server's nor the issuer's must be public. Throws a {@link ForeignAddress} when it
 * may not be asked at all.
 */
async function isStrange(
  origin: string,
  method: string | undefined,
  { url, issuer }: FetchedServer,
): Promise<boolean> {
  const issuerUrl = issuer === undefined ? null : URL.parse(issuer);
  if (origin === new URL(url).origin || origin === issuerUrl?.origin) return false;
  // Tokens are requested by POST, everything else that a server can name is read.
  if (issuerUrl === null || method !== 'POST')
    throw new ForeignAddress('The server names an address at another origin.');
  return !(await isPrivateHost(issuerUrl.hostname));
}

async function isPrivateHost(hostname: string): Promise<boolean> {
  if (isLiteral(hostname)) return isPrivateAddress(toAddress(hostname));
  return isAnyPrivate(await lookUp(hostname, { all: true }).catch(() => []));
}

function headersFor(
  origin: string,
  sent: ConstructorParameters<typeof Headers>[0],
  { url, headers: own }: FetchedServer,
): Headers {
  const headers = new Headers(sent);
  if (origin === new URL(url).origin) return headers;
  for (const [name, value] of Object.entries(own)) {
    // The request may already have a value of that name.
    if (headers.get(name) === value.trim()) headers.delete(name);
  }
  return headers;
}

function toAddress(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * Replaces the text of an authorization server's error: the vendor's client writes it to the console, and it
 * may repeat parts of the request. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
async function plainError({ status, headers, body }: Response): Promise<Response> {
  const text = await new Response(body!.pipeThrough(boundBytes(false))).text().catch(() => '');
  const [, code = 'server_error'] = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(text) ?? [];
  const challenge = headers.get('www-authenticate');
  return Response.json(
    { error: code },
    { status, headers: challenge === null ? {} : { 'www-authenticate': challenge } },
  );
}

function isLiteral(hostname: string): boolean {
  return /^[\d.]+$|^\[/.test(hostname);
}

/** Passes bytes on, and reports the text of each message in them: a whole response, or the data of an event. */
function tellMessages(isStream: boolean, onMessage: (text: string) => void) {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  const data: string[] = [];
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      begun.push(text);
      if (isStream && /[\r\n]/.test(text)) {
        // A line's end may come in two pieces.
        const lines = begun.join('').split(/\r\n|\n|\r(?!$)/);
        begun = [lines.pop()!];
        for (const line of lines) {
          if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
          else if (line === '' && data.length > 0) onMessage(data.splice(0).join('\n'));
        }
      }
      controller.enqueue(chunk);
    },
    flush() {
      if (!isStream) onMessage(begun.join(''));
    },
  });
}

class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly code = 'ETOOLARGE';
}

/**
 * Passes bytes on, and fails when more comes than may, before it is parsed: bytes and values, in a stream of events of
 * each event, and messages of the whole stream.
 */
export function boundBytes(
  isStream: boolean,
  maxMessages: number = MESSAGE_LIMITS.messages,
): TransformStream<Uint8Array, Uint8Array> {
  const values = new ValueCounter();
  let bytes = 0;
  let messages = 0;
  let tail = '';
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      let begun = chunk;
      if (isStream) {
        const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
        const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
        if (end >= 0) {
          bytes = text.length - end;
          values.begin();
          begun = chunk.subarray(Math.max(0, end - tail.length));
        }
        messages += text.match(DATA_LINE)?.length ?? 0;
        // An event may end between two chunks.
        tail = text.slice(-2);
      }
      values.read(begun);
      if (bytes > MESSAGE_LIMITS.bytes || values.count > MESSAGE_LIMITS.values || messages > maxMessages)
        controller.error(new ResponseTooLarge(`The response is ${LIMITS_TEXT}.`));
      else controller.enqueue(chunk);
    },
  });
}

/** A line of data, unless a piece of the stream ends within its name. */
const DATA_LINE = /[\r\n]data/g;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** Counts the values of a JSON text while it comes, in UTF-8 and however it is cut, as `countJsonValues` does with a whole one. */
export class ValueCounter {
  #count = 0;
  #isInString = false;
  #isEscaped = false;

  /** Estimated from commas and opening brackets. */
  get count(): number {
    return this.#count;
  }

  /** Another text follows. */
  begin(): void {
    this.#count = 0;
    this.#isInString = false;
    this.#isEscaped = false;
  }

  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
      } else if (byte === QUOTE) this.#isInString = true;
      else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#count++;
    }
  }
}

/** Sources: https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry */
const PRIVATE_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const;
const PRIVATE_V6 = [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const;

const blocked = new BlockList();
for (const [address, bits] of PRIVATE_V4) blocked.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of PRIVATE_V6) blocked.addSubnet(address, bits, 'ipv6');

/**
 * Whether an address belongs to this machine or a private network, or is not routed on the internet; IPv4
 * within IPv6 counts as IPv4.
 */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return blocked.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a name that leads to these addresses may lead to a private one. */
export function isAnyPrivate(addresses: readonly Pick<LookupAddress, 'address'>[]): boolean {
  return addresses.some(({ address }) => isPrivateAddress(address));
}

export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  readonly code = 'EPRIVATE';
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Looks a host up for a connection, and refuses it when any of its addresses is private: the addresses that are checked are those that the
 * connection is made to, so that a name cannot answer twice.
 */
export function lookupPublic(hostname: string, options: LookupOptions, callback: Callback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    if (isAnyPrivate(addresses)) return callback(new PrivateAddress('The address is private.'), []);
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else callback(null, first!.address, first!.family);
  });
}
