import { decodeWhole, UndecodableBody } from '@winnow/service';
import { BodyBytes, type Format, type RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { StoredRoute } from '../reading/read-exchange.ts';
import type { ClientIdentity } from '../sessions/client-identity.ts';
import { type KnownResponse, readKnownResponse, responseNoteKey } from '../sessions/notes.ts';
import type { PendingWork, SessionStore } from '../sessions/session-store.ts';
import { bypass } from '../strategies/bypass.ts';
import { type Target, upstreamPath } from '../upstream/choose-upstream.ts';
import type { RequestBody } from '../upstream/client.ts';
import { headerValue, toClientHeaders } from '../upstream/headers.ts';
import { isGood, ProxyError } from '../upstream/proxy-error.ts';
import type { SendUpstream, UpstreamResponse } from '../upstream/send-upstream.ts';
import { readUpTo } from '../upstream/upstream-body.ts';
import { type ExchangeEffects, type FormatExchange, pause, type TracedExchange } from './exchange.ts';
import { forwardUntouched, relay, sendBody } from './forward-untouched.ts';

/** A request about a response that the provider stores. */
export interface StoredExchange extends TracedExchange, StoredRoute {
  readonly identity: ClientIdentity;
}

/** Context for answering requests about stored responses. */
export interface StoredContext extends FindContext {
  readonly send: SendUpstream;
}

/** The largest body of such a request, which is empty or an empty object. */
const MAX_REQUEST_BYTES = 64 * 1024;

/** The largest response to rewrite. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * Answers a request about a stored response. A response joined by the proxy is mapped to its parts and shown
 * under the id that the client knows; all other requests are forwarded unchanged.
 *
 * @throws ProxyError with `resume_not_supported` if a request asks to stream a response of several rounds
 *   again, and with `upstream_unreachable` if a response is too large to rewrite: a part must not look like the
 *   whole.
 */
export async function answerStored(exchange: StoredExchange, context: StoredContext): Promise<void> {
  const { about } = exchange;
  const known = await findResponse(about.id, exchange, context);
  const isJoined = known !== undefined && known.alias.rounds.length > 1;
  if (known === undefined || (about.isStream && !isJoined)) {
    await forwardUntouched(exchange, { send: context.send });
    return;
  }
  if (about.isStream) {
    throw new ProxyError(
      'resume_not_supported',
      'This response cannot be streamed again: request it without streaming.',
    );
  }
  const body = await receiveSmall(exchange.request.body);
  const response = await sendToAll(exchange, known, body, context);
  await showResponse(response, exchange, known, context);
}

/** Reads the body; null if it is empty. */
async function receiveSmall(body: RequestBody): Promise<Buffer | null> {
  const bytes = await readUpTo(body, MAX_REQUEST_BYTES + 1);
  if (bytes.length > MAX_REQUEST_BYTES)
    throw new ProxyError('body_too_large', 'The body of this request is too large.');
  return bytes.length === 0 ? null : bytes;
}

/** Sends the request to every response that the client's response consists of; returns the last result. */
async function sendToAll(
  exchange: StoredExchange,
  { alias }: KnownResponse,
  body: Buffer | null,
  { send }: StoredContext,
): Promise<UpstreamResponse> {
  const addresses = exchange.format.capabilities.storedResponses!.targetsOf(exchange.about, alias);
  const replace = { 'accept-encoding': 'identity' };
  let last: UpstreamResponse | undefined;
  for (const address of addresses) {
    last?.body.destroy();
    const { upstream } = exchange.target;
    const target: Target = { ...exchange.target, path: upstreamPath(upstream, address) };
    last = await sendBody(body, exchange, { send, target, replace });
  }
  return last!;
}

async function showResponse(
  response: UpstreamResponse,
  exchange: StoredExchange,
  { alias }: KnownResponse,
  { settings }: StoredContext,
): Promise<void> {
  if (!isGood(response)) {
    await relay(response, exchange);
    return;
  }
  const bytes = await readUpTo(response.body, MAX_RESPONSE_BYTES + 1);
  if (bytes.length > MAX_RESPONSE_BYTES)
    throw new ProxyError('upstream_unreachable', 'The stored response is larger than 32 MiB.');
  const text = await decodeText(bytes, headerValue(response.headers, 'content-encoding'));
  const name = settings['tools.search_tool_name'];
  const shown = text && exchange.format.capabilities.storedResponses!.showStored(text, alias, name);
  const sent = shown === undefined ? bytes : Buffer.from(shown);
  const headers = toClientHeaders(response.headers, shown === undefined ? 'measured' : 'rewritten');
  exchange.head.write(response.status, [...headers, 'content-length', String(sent.length)]);
  exchange.response.end(sent);
}

async function decodeText(bytes: Buffer, encoding: string | undefined): Promise<string | undefined> {
  try {
    return (await decodeWhole(bytes, encoding, MAX_RESPONSE_BYTES)).toString('utf8');
  } catch (error) {
    if (error instanceof UndecodableBody) return undefined;
    throw error;
  }
}

/** Context for finding responses. */
export interface FindContext {
  readonly settings: Settings;
  readonly sessions: SessionStore;
  readonly pendingWork: PendingWork;
  readonly effects: Pick<ExchangeEffects, 'every'>;
}

/**
 * Finds a response by the client's id among the notes of the same credential. Waits for exchanges of this
 * process that are still storing it. Returns undefined if it is unknown or the store is unavailable. Never
 * rejects.
 */
async function findResponse(
  id: string,
  { identity: { tenant }, format }: Pick<FormatExchange, 'identity' | 'format'>,
  { sessions, pendingWork, settings, effects }: FindContext,
): Promise<KnownResponse | undefined> {
  const key = responseNoteKey(id, format);
  const patienceMs = settings['tools.api.timeout'];
  try {
    await pendingWork.settled([`${tenant} ${key}`], () => pause(effects.every, patienceMs));
    const value = (await sessions.read(tenant, [key])).get(key);
    return value === undefined ? undefined : readKnownResponse(value);
  } catch {
    // The store reports its own failures.
    return undefined;
  }
}

/** Finds the response that a request continues from; undefined at once if it names none. Never rejects. */
export function findPrevious(
  view: RequestView | undefined,
  exchange: FormatExchange,
  context: FindContext,
): Promise<KnownResponse | undefined> | undefined {
  const id = view && exchange.format.capabilities.storedResponses?.previousId(view);
  return id === undefined ? undefined : findResponse(id, exchange, context);
}

/**
 * Returns the client's request as the provider must receive it if nothing else is edited: continuing from the
 * provider's own response, with the results that it still expects. Returns the same body if nothing changes.
 */
export function originalAfter(
  body: BodyBytes,
  view: RequestView | undefined,
  format: Format,
  known: KnownResponse | undefined,
): BodyBytes {
  if (view === undefined || known === undefined) return body;
  const past = { hiddenTurns: [], rounds: [], alias: known.alias };
  const bytes = format.editing.editRequest(view, bypass('passthrough'), past);
  if (bytes === view.bytes.whole) return body;
  return new BodyBytes([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
}
