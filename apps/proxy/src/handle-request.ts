import { FORMATS } from '@winnow/wire';
import type { IncomingExchange } from './app.ts';
import { forwardUntouched } from './forward-untouched.ts';
import { handleExchange } from './handle-exchange.ts';
import type { ProxyContext } from './proxy-context.ts';
import { decideRollout } from './rollout.ts';

/** Answers one request: what no format handles, and everything while nothing is to be altered, is forwarded without being read. */
export async function handleRequest(exchange: IncomingExchange, context: ProxyContext): Promise<void> {
  const { incoming, target } = exchange;
  const { settings } = context;
  const isOff =
    settings['pipes.tool_discovery.strategy'] === 'passthrough' || decideRollout(settings).arm === 'off';
  const route = isOff ? undefined : findFormat(incoming.method ?? 'GET', target.clientPath);
  if (route) await handleExchange({ ...exchange, ...route }, context);
  else await forwardUntouched({ ...exchange, send: context.send });
}

function findFormat(method: string, path: string) {
  for (const format of FORMATS) {
    const purpose = format.matchRoute(method, path);
    if (purpose !== undefined) return { format, purpose };
  }
  return undefined;
}
