import {
  framingFor,
  HiddenNames,
  type Polyfilled,
  type RequestView,
  type ResponseRewriter,
  rewriteJoined,
} from '@winnow/wire';
import { headerValue } from '../http/headers.ts';
import { isGood } from '../http/is-good.ts';
import { keepIn } from '../memory/keep-in.ts';
import { bypass } from '../strategies/bypass.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { ClientResponse } from './client-response.ts';
import type { Ending } from './format-exchange.ts';
import { relay } from './forward-untouched.ts';
import type { LoopContext } from './loop-input.ts';
import type { SendableRequest } from './receive-request.ts';
import { relayRound } from './relay-round.ts';

/** A request of a client that defers tools itself, rewritten for an upstream that cannot. */
export interface PolyfilledExchange extends Omit<SendableRequest, 'body'> {
  readonly view: RequestView;
  readonly polyfilled: Polyfilled;
}

/** Context for answering a polyfilled exchange. */
type AnswerContext = Pick<LoopContext, 'settings' | 'effects'>;

/**
 * Sends a rewritten request, and gives the client the response that an upstream with deferral would give.
 * Passes errors of the upstream on unchanged: it would refuse the original as well.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response. Rejects when the client leaves.
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
  return relay(response, exchange);
}

async function relayRewritten(
  response: UpstreamResponse,
  createRewriter: () => ResponseRewriter,
  { exchange, view, hold, tell }: PolyfilledExchange,
  { settings, effects }: AnswerContext,
): Promise<Ending> {
  const { format, signal } = exchange;
  const keep = keepIn(hold);
  const client = new ClientResponse(exchange, keep);
  const usageShown = settings['tools.usage'];
  const joiner = rewriteJoined(
    format.joining.joinResponses(view, bypass('polyfilled'), usageShown, keep),
    createRewriter,
  );
  const framing = framingFor(format, view, headerValue(response.headers, 'content-type'));
  client.takeHead(response, framing);
  // A model may think for minutes before its first event; the head of the stream must not wait for it.
  if (framing.isStream) client.beat(undefined, true);
  const room = {
    hold,
    limitBytes: settings['server.max_body'],
    hidden: new HiddenNames(settings['tools.search_tool_name']),
    shape: framing.isStream ? 'stream' : 'whole',
    mayPassUnread: false,
  } as const;
  const { every, pause } = effects;
  const end = await relayRound({ response, framing, joiner, client, signal, every, pause, room });
  const { usage, notices } = joiner;
  tell({ kind: 'round_ended', round: 1, usage, ...(notices && { notices }) });
  signal.throwIfAborted();
  if (end.kind === 'unread') throw new Error('a response that must be read passed unread');
  if (end.kind !== 'failed') {
    await client.end(joiner.finish());
    return { outcome: 'answered', status: exchange.response.status };
  }
  await client.fail(joiner.fail(end), framing.isStream || end.reason === 'upstream_error');
  return { outcome: 'failed', status: exchange.response.status };
}
