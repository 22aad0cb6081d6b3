import type { RestoreReason } from '@winnow/contract';
import type { BodyBytes, Plan, RequestView } from '@winnow/wire';
import { isGood } from '../http/is-good.ts';
import { isTransportError } from '../http/is-transport-error.ts';
import { ProxyError } from '../http/proxy-error.ts';
import { readUpTo } from '../http/read-up-to.ts';
import type { Tell } from '../records/exchange-fact.ts';
import { bypass } from '../strategies/bypass.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { ExchangeSender } from './exchange-sender.ts';
import type { Ending, FormatExchange } from './format-exchange.ts';
import { relay } from './forward-untouched.ts';
import { relayRefusal } from './relay-refusal.ts';

/** A request whose edited form has failed, while the client has seen nothing. */
export interface FallBack {
  readonly exchange: FormatExchange;
  readonly sender: Pick<ExchangeSender, 'sendOriginal' | 'forwardOriginal'>;
  /** The client's request as it came. */
  readonly body: BodyBytes;
  readonly tell: Tell;
}

/** Gives what `answer` gives. Where that meets a defect of ours before the client has seen anything, sends the original bytes instead. */
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

/** Sends the original bytes, and passes the response on as it is. */
export function restoreOriginal({ sender, body, tell }: FallBack, because: RestoreReason): Promise<Ending> {
  tell({ kind: 'restored', because });
  return sender.forwardOriginal(body);
}

/** As `restoreOriginal`, but only a good response is passed on, after `onTaken`; undefined, and the client has seen nothing, where it is none. */
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

/** A refused request, and what is done about it. */
export interface Refused extends FallBack {
  readonly plan: Plan;
  readonly because: RestoreReason;
  /** Waited for when the original is taken. */
  readonly onTaken: () => Promise<void>;
  /**
   * Sends the original without the thinking of earlier turns, for a conversation whose thinking is bound to what was edited in it; undefined for
   * any other.
   */
  readonly withoutThinking?: (() => Promise<Ending>) | undefined;
}

/** Handles a refusal of the edited request: a rejection by sending the original bytes once, any other error by passing it on. */
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
    if (speaksOfThinking(original.status, refusal, exchange)) return withoutThinking();
    await relayRefusal({ ...original, body: [refusal] }, exchange, NO_PLAN);
    return { outcome: 'answered', status: original.status };
  }
  return relay(original, exchange);
}

/** The original has no search tool that an error could name. */
const NO_PLAN = bypass('refused_before');

/** A refusal is a sentence. */
const MAX_REFUSAL_BYTES = 65_536;

/**
 * Whether an upstream has refused a request because of thinking that is not where it was thought: hidden turns around it are lost when
 * the session store was away or has forgotten them, or the conversation has begun before its tools were touched. The latter's original is
 * fine; the former's is refused as well, and the request is worth another try without the thinking.
 *
 * Every such refusal names the thinking. Any other is none: a request that is too long, say, would be taken without the model's own thoughts,
 * and the client would not learn that it is. Reads the refusal.
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
  return speaksOfThinking(response.status, await readRefusal(response), exchange);
}

function speaksOfThinking(
  status: number,
  refusal: Buffer,
  { format: { vendor } }: Pick<FormatExchange, 'format'>,
): boolean {
  const { thinkingRefusal } = vendor;
  if (status !== thinkingRefusal?.status) return false;
  return thinkingRefusal.words.some((word) => refusal.includes(word));
}

/** Reads the text of a refusal; empty when it breaks off, as any refusal then counts the same. */
async function readRefusal({ body }: UpstreamResponse): Promise<Buffer> {
  try {
    return await readUpTo(body, MAX_REFUSAL_BYTES);
  } catch {
    return Buffer.alloc(0);
  }
}
