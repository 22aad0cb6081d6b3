import type { RestoreReason } from '@winnow/core';
import { decodeWhole, UndecodableBody } from '@winnow/service';
import {
  type BodyBytes,
  type HiddenNames,
  hiddenNames,
  hidesCalls,
  type Plan,
  type RequestView,
  type Vendor,
} from '@winnow/wire';
import type { Tell } from '../records/exchange-fact.ts';
import { bypass } from '../strategies/bypass.ts';
import { headerValue, toClientHeaders } from '../upstream/headers.ts';
import { isGood, isTransportError, ProxyError } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { readUpTo } from '../upstream/upstream-body.ts';
import type { Ending, FormatExchange } from './exchange.ts';
import type { ExchangeSender } from './exchange-sender.ts';
import { relay } from './forward-untouched.ts';

/** A request whose edited form failed before the client received anything. */
interface FallBack {
  readonly exchange: FormatExchange;
  readonly sender: Pick<ExchangeSender, 'sendOriginal' | 'forwardOriginal'>;
  /** The client's original request. */
  readonly body: BodyBytes;
  readonly tell: Tell;
}

/**
 * Returns the result of `answer`. If a defect occurs before the client has received anything, sends the
 * original bytes instead.
 */
export async function orOriginal(
  fallBack: FallBack,
  onDefect: (error: unknown) => void,
  answer: () => Promise<Ending>,
): Promise<Ending> {
  const { response, signal } = fallBack.exchange;
  try {
    return await answer();
  } catch (error) {
    const isOurs = !(error instanceof ProxyError) && !isTransportError(error) && !signal.aborted;
    if (!isOurs || response.hasStarted) throw error;
    onDefect(error);
    return restoreOriginal(fallBack, 'defect');
  }
}

/** Sends the original bytes, and passes the response on unchanged. */
export function restoreOriginal({ sender, body, tell }: FallBack, because: RestoreReason): Promise<Ending> {
  tell({ kind: 'restored', because });
  return sender.forwardOriginal(body);
}

/**
 * Sends the original bytes, but passes on only a successful response, after `onTaken`; otherwise returns
 * undefined, and the client has received nothing.
 */
export async function tryOriginal(
  { exchange, sender, body, tell }: FallBack,
  onTaken: () => Promise<void>,
): Promise<Ending | undefined> {
  const response = await sender.sendOriginal(body);
  if (!isGood(response)) {
    response.body.destroy();
    return undefined;
  }
  tell({ kind: 'restored', because: 'upstream_rejected_edit' });
  await onTaken();
  return relay(response, exchange);
}

/** A request that is sent as the client wrote it. */
export interface LeftAlone extends FallBack {
  readonly sender: Pick<ExchangeSender, 'sendOriginal' | 'forwardOriginal' | 'sendEdited'>;
  /** Undefined if the request was not read. */
  readonly view: RequestView | undefined;
}

/**
 * Sends a request that is left alone, and passes the response on. If the upstream refuses it because of
 * thinking that a search has left in the client's history, sends it once more without the thinking.
 */
export function sendLeftAlone(request: LeftAlone): Promise<Ending> {
  const { exchange, sender, body, view } = request;
  const { thinking } = exchange.format.capabilities;
  const hasLost = view && thinking?.holdsThinking(view) && thinking.hasLostRounds(view, NO_PLAN);
  return hasLost ? sendLacking({ ...request, view }) : sender.forwardOriginal(body);
}

/** Sends a request whose history seems to have lost hidden turns. */
async function sendLacking(request: LeftAlone & { readonly view: RequestView }): Promise<Ending> {
  const { exchange, sender, body } = request;
  const response = await sender.sendOriginal(body);
  if (response.status !== exchange.format.vendor.thinkingRefusal?.status) return relay(response, exchange);
  const refusal = await readRefusal(response);
  if (speaksOfThinking(response, refusal, exchange)) return relay(await sendDropped(request), exchange);
  await relayRefusal({ ...response, body: [refusal.bytes] }, exchange, NO_PLAN);
  return { outcome: 'answered', status: response.status };
}

/** Sends the client's request unedited except for the thinking of earlier turns. */
export function sendDropped({
  exchange,
  sender,
  view,
}: Pick<LeftAlone, 'exchange'> & {
  readonly sender: Pick<ExchangeSender, 'sendEdited'>;
  readonly view: RequestView;
}): Promise<UpstreamResponse> {
  const plan = bypass('refused_before');
  const past = { hiddenTurns: [], rounds: [], dropsThinking: true };
  return sender.sendEdited(exchange.format.editing.editRequest(view, plan, past), view, plan);
}

/** A refused request, with the possible reactions. */
interface Refused extends FallBack {
  readonly plan: Plan;
  readonly because: RestoreReason;
  /** Awaited when the upstream accepts the original. */
  readonly onTaken: () => Promise<void>;
  /**
   * Sends the original without the thinking of earlier turns if the thinking is bound to edited tools;
   * undefined for other conversations.
   */
  readonly withoutThinking?: (() => Promise<Ending>) | undefined;
}

/**
 * Handles a refused edited request: sends the original bytes once after a rejection, and passes any other
 * error on.
 */
export async function handleRefusal(
  { exchange, sender, body, tell, plan, because, onTaken, withoutThinking }: Refused,
  response: UpstreamResponse,
): Promise<Ending> {
  if (!exchange.format.vendor.rejections.includes(response.status)) {
    await relayRefusal(response, exchange, plan);
    return { outcome: 'answered', status: response.status };
  }
  response.body.destroy();
  tell({ kind: 'restored', because });
  const original = await sender.sendOriginal(body);
  if (isGood(original)) await onTaken();
  else if (withoutThinking) {
    const refusal = await readRefusal(original);
    if (speaksOfThinking(original, refusal, exchange)) return withoutThinking();
    await relayRefusal({ ...original, body: [refusal.bytes] }, exchange, NO_PLAN);
    return { outcome: 'answered', status: original.status };
  }
  return relay(original, exchange);
}

/** The original has no search tool that an error could name. */
const NO_PLAN = bypass('refused_before');

/** Maximum size of a refusal to read, in bytes. */
const MAX_REFUSAL_BYTES = 1024 * 1024;

/**
 * Whether an upstream refused a request because thinking is out of place. Either hidden turns around it are
 * lost, as the session store was unavailable or has forgotten them, or the conversation began before its
 * tools were edited. In the second case the original is accepted. In the first case the original is refused
 * as well, and a request without the thinking is worth another attempt.
 *
 * Such a refusal always names the thinking. Other refusals must not count: a request that is too long, for
 * example, could be accepted without the model's thinking, and the client would never learn of its length.
 * Consumes the refusal.
 */
export async function isAboutThinking(
  response: UpstreamResponse,
  exchange: Pick<FormatExchange, 'format'>,
  view: RequestView,
): Promise<boolean> {
  const { format } = exchange;
  if (
    response.status !== format.vendor.thinkingRefusal?.status ||
    !format.capabilities.thinking?.holdsThinking(view)
  )
    return false;
  return speaksOfThinking(response, await readRefusal(response), exchange);
}

function speaksOfThinking(
  { status }: UpstreamResponse,
  { text }: ReadRefusal,
  { format: { vendor } }: Pick<FormatExchange, 'format'>,
): boolean {
  const { thinkingRefusal } = vendor;
  if (status !== thinkingRefusal?.status) return false;
  return thinkingRefusal.words.some((word) => text.includes(word));
}

/** A refusal as received, and decoded. */
interface ReadRefusal {
  readonly bytes: Buffer;
  /** Empty if it cannot be decoded. */
  readonly text: Buffer;
}

/** Reads a refusal; an empty one if it is cut off, because all refusals then count the same. */
async function readRefusal({ body, headers }: UpstreamResponse): Promise<ReadRefusal> {
  let bytes: Buffer = Buffer.alloc(0);
  try {
    bytes = await readUpTo(body, MAX_REFUSAL_BYTES);
    const text = await decodeWhole(bytes, headerValue(headers, 'content-encoding'), MAX_REFUSAL_BYTES);
    return { bytes, text };
  } catch {
    return { bytes, text: Buffer.alloc(0) };
  }
}

/** An error response to a request with the search tool. */
interface Refusal extends Omit<UpstreamResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Maximum size of an error to read, in bytes. */
const MAX_ERROR_BYTES = 1024 * 1024;

/**
 * Passes an upstream's error on unchanged, including status and `retry-after`. If the error mentions the
 * search tool, which the client does not know, the client gets a general error with the same status instead.
 */
async function relayRefusal(
  refusal: Refusal,
  { response, head, format }: Pick<FormatExchange, 'response' | 'head' | 'format'>,
  plan: Plan,
): Promise<void> {
  const body = await readUpTo(refusal.body, MAX_ERROR_BYTES);
  const encoding = headerValue(refusal.headers, 'content-encoding');
  const namesSearchTool = hidesCalls(plan) && (await mayName(hiddenNames(plan), body, encoding));
  const headers = toClientHeaders(refusal.headers, namesSearchTool ? 'rewritten' : 'measured');
  const sent = namesSearchTool ? Buffer.from(generalError(format.vendor, refusal.status)) : body;
  head.write(refusal.status, [...headers, 'content-length', String(sent.length)]);
  response.end(sent);
}

/** Whether an error names a hidden tool. An error that cannot be decoded counts as yes. */
async function mayName(hidden: HiddenNames, body: Buffer, encoding: string | undefined): Promise<boolean> {
  try {
    return hidden.areIn((await decodeWhole(body, encoding, MAX_ERROR_BYTES)).toString());
  } catch (error) {
    if (!(error instanceof UndecodableBody)) throw error;
    return true;
  }
}

function generalError(vendor: Vendor, status: number): string {
  return vendor.errorBody({ status, message: `The upstream answered with status ${status}.` });
}
