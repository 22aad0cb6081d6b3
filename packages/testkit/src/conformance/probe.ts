import { say } from '../upstream/answer-parts.ts';
import { routeOf } from '../upstream/route-of.ts';
import { request, respond } from './cases/write.ts';
import type { FormatName } from './formats/client-format.ts';
import { contextOf, type Gateway } from './run.ts';
import { playExchange } from './wire/play-exchange.ts';
import type { WireProvider } from './wire/wire-provider.ts';

/** The gateway's answer to a first request in one format. */
export type Reach =
  | 'reached'
  /** No connection, or no response. */
  | 'no-answer'
  /** Status 401, 403 or 407, which the provider did not send. */
  | 'wants-key'
  /** Any other response that the provider did not send. */
  | 'not-reached'
  /** The provider got a request of another format. */
  | 'translated';

/** Sends one request in a format, and returns how far it got, with the gateway's words. */
export async function probeFormat(
  name: FormatName,
  { gateway, provider, patienceMs }: { gateway: Gateway; provider: WireProvider; patienceMs: number },
): Promise<{ readonly reach: Reach; readonly words: string }> {
  const context = contextOf(name, 0, { gateway, seed: 1 });
  const { marker } = context;
  const usual = request(context);
  const own = new Set(gateway.headers.map(([header]) => header.toLowerCase()));
  const headers = [...usual.headers.filter(([header]) => !own.has(header)), ...gateway.headers];
  const seen = await playExchange(
    { request: { ...usual, headers }, answer: respond(context, usual, [say('Yes.')]) },
    marker,
    { url: gateway.urlOf(name), provider, patienceMs, hasText: () => false },
  );
  const { status, end, body } = seen.client;
  const words = `${status} ${body.toString('utf8').slice(0, 300)}`;
  const [received] = seen.received;
  if (received !== undefined) {
    return {
      reach: routeOf('POST', received.path) === name ? 'reached' : 'translated',
      words: received.path,
    };
  }
  if (end === 'no-response' || status === 0) return { reach: 'no-answer', words };
  return { reach: [401, 403, 407].includes(status) ? 'wants-key' : 'not-reached', words };
}
