import {
  framingFor,
  HiddenNames,
  type HostedSearches,
  type Polyfilled,
  type RequestView,
  type ResponseRewriter,
  type RoundFailure,
  rewriteJoined,
  type WireEvent,
} from '@winnow/wire';
import { headerValue } from '../http/headers.ts';
import { isGood } from '../http/is-good.ts';
import { keepIn } from '../memory/keep-in.ts';
import type { MemoryHold } from '../memory/request-memory.ts';
import type { Tell } from '../records/exchange-fact.ts';
import { bypass } from '../strategies/bypass.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { ClientResponse } from './client-response.ts';
import type { ExchangeSender } from './exchange-sender.ts';
import type { Ending, FormatExchange } from './format-exchange.ts';
import { relay } from './forward-untouched.ts';
import type { ProxyContext } from './proxy-context.ts';
import { relayRound } from './relay-round.ts';

/** A request of a client that defers by itself, rewritten for an upstream that cannot. */
export interface PolyfilledExchange {
  readonly exchange: FormatExchange;
  readonly view: RequestView;
  readonly polyfilled: Polyfilled;
  readonly sender: Pick<ExchangeSender, 'sendPolyfilled'>;
  readonly hold: MemoryHold;
  readonly tell: Tell;
}

type AnswerContext = Pick<ProxyContext, 'settings' | 'effects'>;

/** The searches that a request leaves to a provider that runs none; undefined for any other request, and for one that meets a defect of ours. */
export function hostedFor(
  view: RequestView | undefined,
  { format, target }: Pick<FormatExchange, 'format' | 'target'>,
  onDefect: ProxyContext['onDefect'],
): HostedSearches | undefined {
  if (view === undefined || !target.upstream.isPolyfilled) return undefined;
  try {
    return format.capabilities.hostedSearches?.(view);
  } catch (error) {
    onDefect(error);
    return undefined;
  }
}

/** The rewritten request, undefined where there is nothing to rewrite: such a request, and one that meets a defect of ours, goes the usual way. */
export function polyfillFor(
  view: RequestView | undefined,
  { format, target }: Pick<FormatExchange, 'format' | 'target'>,
  onDefect: ProxyContext['onDefect'],
): Polyfilled | undefined {
  if (view === undefined || !target.upstream.isPolyfilled) return undefined;
  // Its response, or what the provider keeps of it, would come back by ways on which nobody writes it anew.
  if (view.bypass === 'background' || view.bypass === 'stored_prompt') return undefined;
  try {
    return format.capabilities.polyfill?.(view);
  } catch (error) {
    onDefect(error);
    return undefined;
  }
}

/**
 * Sends a rewritten request, and gives the client the response as it would be of an upstream that can defer. Errors of the upstream pass as
 * they are: it would refuse the original all the same.
 *
 * @throws ProxyError with `upstream_unreachable` when there is no response. Rejects when the client leaves.
 */
export async function answerPolyfilled(
  polyfilledExchange: PolyfilledExchange,
  context: AnswerContext,
): Promise<Ending> {
  const { exchange, polyfilled, sender } = polyfilledExchange;
  const response = await sender.sendPolyfilled(polyfilled);
  if (isGood(response) && polyfilled.rewriter !== undefined) {
    return relayRewritten(response, polyfilled.rewriter, polyfilledExchange, context);
  }
  await relay(response, exchange);
  return { outcome: 'answered', status: response.status };
}

async function relayRewritten(
  response: UpstreamResponse,
  createRewriter: () => ResponseRewriter,
  { exchange, view, hold, tell }: PolyfilledExchange,
  { settings, effects }: AnswerContext,
): Promise<Ending> {
  const { format, signal, outgoing } = exchange;
  const keep = keepIn(hold);
  const client = new ClientResponse(exchange, keep);
  const usageShown = settings['tools.usage'];
  const joiner = rewriteJoined(
    format.joining.joinResponses(view, bypass('polyfilled'), usageShown, keep),
    createRewriter,
  );
  const framing = framingFor(format, view, headerValue(response.headers, 'content-type'));
  client.takeHead(response, framing);
  // A model may think for minutes before its first event; the head of its stream does not wait for it.
  if (framing.isStream) client.beat(undefined);
  const room = {
    hold,
    limitBytes: settings['server.max_body'],
    hidden: new HiddenNames(settings['tools.search_tool_name']),
    shape: framing.isStream ? 'stream' : 'whole',
    mayPassUnread: false,
  } as const;
  const end = await relayRound({ response, framing, joiner, client, signal, every: effects.every, room });
  const { usage, notices } = joiner;
  tell({ kind: 'round_ended', round: 1, usage, ...(notices && { notices }) });
  signal.throwIfAborted();
  if (end.kind === 'unread') throw new Error('a response passed unread that may not');
  if (end.kind !== 'failed') {
    await client.end(joiner.finish());
    return { outcome: 'answered', status: outgoing.statusCode };
  }
  await failResponse(client, end, joiner.fail(end), framing.isStream);
  return { outcome: 'failed', status: outgoing.statusCode };
}

async function failResponse(
  client: ClientResponse,
  { reason }: RoundFailure,
  events: readonly WireEvent[],
  isStream: boolean,
): Promise<void> {
  if (isStream || reason === 'upstream_error') await client.end(events);
  else await client.fail(BAD_GATEWAY, events.map(textOf).join(''));
}

const BAD_GATEWAY = 502;

function textOf(event: WireEvent): string {
  return event.kind === 'event' ? event.data : event.text;
}
