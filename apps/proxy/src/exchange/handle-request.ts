import { FORMATS } from '@winnow/wire';
import { findFormat, type Route } from '../reading/find-format.ts';
import { clientAddress } from '../upstream/choose-upstream.ts';
import { answerStored, type StoredExchange } from './answer-stored.ts';
import { ExchangeSender } from './exchange-sender.ts';
import type { FormatExchange } from './format-exchange.ts';
import { forwardUntouched } from './forward-untouched.ts';
import { handleExchange } from './handle-exchange.ts';
import type { IncomingExchange } from './incoming-exchange.ts';
import type { ProxyContext } from './proxy-context.ts';
import { reportExchange } from './report-exchange.ts';
import { decideRollout, MODE_HEADER, type RolloutDecision } from './rollout.ts';
import { type TracedExchange, traceExchange } from './trace-exchange.ts';

/** Answers one request: what no format handles, and what is not to be altered, is forwarded as it comes. */
export function handleRequest(exchange: IncomingExchange, context: ProxyContext): Promise<void> {
  const { incoming, target } = exchange;
  const route = findFormat(incoming.method ?? 'GET', target.clientPath);
  const trace = { tracer: context.tracer, isKnownPath: route !== undefined };
  return traceExchange(exchange, trace, (traced) => answerRequest(traced, route, context));
}

async function answerRequest(
  exchange: TracedExchange,
  route: Route | undefined,
  context: ProxyContext,
): Promise<void> {
  const { incoming } = exchange;
  if (!route) {
    const stored = findStored(exchange);
    if (stored) return answerStored({ ...exchange, ...stored }, context);
    await forwardUntouched(exchange, { send: context.send, tap: context.tapUnread(exchange) });
    return;
  }
  const rollout = decideRollout(context.settings, incoming.headers[MODE_HEADER]?.toString());
  const mayBeAltered = rollout === undefined || rollout.arm === 'full';
  if (mayBeAltered) await handleExchange({ ...exchange, ...route }, context, rollout);
  else await forwardExchange({ ...exchange, ...route }, context, rollout);
}

/**
 * Forwards a request of a known format as it is. Nothing of it is read on its way: the bytes travel as they come, in both directions,
 * whatever their size. What is to be found out about it is found out from a copy.
 */
async function forwardExchange(
  exchange: FormatExchange,
  context: ProxyContext,
  rollout: RolloutDecision,
): Promise<void> {
  await reportExchange(exchange, context, ({ tell, tap }) => {
    tell({ kind: 'decided', ...rollout });
    return new ExchangeSender({ exchange, send: context.send, tell }).forwardUnread(tap(rollout.arm));
  });
}

/** A request about a stored response, and the format whose provider stores it. */
function findStored({
  incoming,
  target,
}: TracedExchange): Pick<StoredExchange, 'format' | 'request'> | undefined {
  for (const format of FORMATS) {
    const request = format.capabilities.storedResponses?.matchRoute(
      incoming.method ?? 'GET',
      clientAddress(target),
    );
    if (request !== undefined) return { format, request };
  }
  return undefined;
}
