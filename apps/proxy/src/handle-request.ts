import { FORMATS } from '@winnow/wire';
import type { IncomingExchange } from './app.ts';
import { forwardExchange } from './exchange/forward-exchange.ts';
import { forwardUntouched } from './exchange/forward-untouched.ts';
import type { FormatExchange } from './exchange/prepare-exchange.ts';
import { type TracedExchange, traceExchange } from './exchange/trace-exchange.ts';
import { handleExchange } from './handle-exchange.ts';
import type { ProxyContext } from './proxy-context.ts';
import { decideRollout, MODE_HEADER } from './rollout.ts';
import { headerValue } from './upstream/request-headers.ts';

/** Answers one request: what no format handles, and what is not to be altered, is forwarded as it comes. */
export async function handleRequest(exchange: IncomingExchange, context: ProxyContext): Promise<void> {
  const { incoming, target } = exchange;
  const route = findFormat(incoming.method ?? 'GET', target.clientPath);
  const trace = { tracer: context.tracer, isKnownPath: route !== undefined };
  await traceExchange(exchange, trace, (traced) => answerRequest(traced, route, context));
}

async function answerRequest(
  exchange: TracedExchange,
  route: Route | undefined,
  context: ProxyContext,
): Promise<void> {
  const { incoming } = exchange;
  if (!route) {
    await forwardUntouched({ ...exchange, send: context.send });
    return;
  }
  const rollout = decideRollout(context.settings, headerValue(incoming.rawHeaders, MODE_HEADER));
  const mayBeAltered = rollout === undefined || rollout.arm === 'full';
  if (mayBeAltered) await handleExchange({ ...exchange, ...route }, context, rollout);
  else await forwardExchange({ ...exchange, ...route }, context, rollout);
}

type Route = Pick<FormatExchange, 'format' | 'purpose'>;

function findFormat(method: string, path: string): Route | undefined {
  for (const format of FORMATS) {
    const purpose = format.matchRoute(method, path);
    if (purpose !== undefined) return { format, purpose };
  }
  return undefined;
}
