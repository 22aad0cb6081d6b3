import { routeOf, say } from '@winnow/testkit';
import { request, respond } from './cases/write.ts';
import { FORMAT_NAMES, type FormatName } from './formats/client-format.ts';
import { contextOf, type Gateway } from './run.ts';
import type { ClientView } from './wire/exchange.ts';
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

/** The outcome of a first request. */
export interface Probe {
  readonly format: FormatName;
  readonly reach: Reach;
  /** The response that the client got, or the path that arrived, in words. */
  readonly words: string;
}

interface Probing {
  readonly gateway: Gateway;
  readonly provider: WireProvider;
  readonly patienceMs: number;
}

/** Sends one request in a format, and returns how far it got, with the gateway's words. */
export async function probeFormat(
  name: FormatName,
  { gateway, provider, patienceMs }: Probing,
): Promise<Probe> {
  const context = contextOf(name, FORMAT_NAMES.indexOf(name), { gateway, seed: 1 });
  const usual = request(context);
  const own = new Set(gateway.headers.map(([header]) => header.toLowerCase()));
  const headers = [...usual.headers.filter(([header]) => !own.has(header)), ...gateway.headers];
  const { client, received } = await playExchange(
    { request: { ...usual, headers }, answer: respond(context, usual, [say('Yes.')]) },
    context.marker,
    { url: gateway.urlOf(name), provider, patienceMs, hasText: () => false },
  );
  const path = received[0]?.path;
  if (path !== undefined) {
    const isSame = path.startsWith(usual.path);
    const words = isSame ? '' : `the provider received the path ${path} instead of ${usual.path}`;
    return { format: name, reach: routeOf('POST', path) === name ? 'reached' : 'translated', words };
  }
  const words = wordsOf(client);
  if (client.status === 0) return { format: name, reach: 'no-answer', words };
  return {
    format: name,
    reach: [401, 403, 407].includes(client.status) ? 'wants-key' : 'not-reached',
    words,
  };
}

function wordsOf({ status, cause, headers, body }: ClientView): string {
  if (status === 0) return cause ?? 'no response in time';
  const location = headers.find(([name]) => name === 'location')?.[1];
  const text = body.toString('utf8').replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  return [status, ...(location === undefined ? [] : [`to ${location}`]), text].join(' ').trim();
}

/** The reason for which no format can be judged, as one sentence. */
export interface Trouble {
  readonly kind: 'no-answer' | 'wants-key' | 'not-reached';
  readonly sentence: string;
}

/** Returns the reason for which no format can be judged; undefined if at least one can. */
export function troubleIn(
  probes: readonly Probe[],
  { gateway, provider }: Pick<Probing, 'gateway' | 'provider'>,
  areChosen: boolean,
): Trouble | undefined {
  const isJudged = ({ reach }: Probe) => reach === 'reached' || (areChosen && reach === 'translated');
  if (probes.some(isJudged)) return undefined;
  const told = probes.find(({ reach }) => reach !== 'no-answer') ?? probes[0];
  if (told === undefined) return undefined;
  const url = gateway.urlOf(told.format);
  const wanting = probes.find(({ reach }) => reach === 'wants-key');
  if (told.reach === 'no-answer') return { kind: 'no-answer', sentence: silence(url, told.words) };
  if (wanting !== undefined) {
    const advice = gateway.hasKey ? 'refuses this key' : 'wants a key; name one with --key, or with --header';
    const sentence = `the gateway at ${gateway.urlOf(wanting.format)} ${advice}. It answered: ${wanting.words}`;
    return { kind: 'wants-key', sentence };
  }
  const sentence =
    told.reach === 'translated'
      ? `the gateway at ${url} translates ${told.format}: ${told.words}. --format ${told.format} judges it all the same.`
      : `the gateway at ${url} answers, but no request reached the provider; point its upstreams at ${provider.url}. It answered ${told.format} with: ${told.words}`;
  return { kind: 'not-reached', sentence };
}

/** Returns a sentence about an address without a response. */
function silence(url: string, cause: string): string {
  if (/CERT|SIGNED|SIGNATURE|ISSUER/.test(cause))
    return `the certificate of ${url} is not trusted (${cause}); name its authority with NODE_EXTRA_CA_CERTS=FILE before the command.`;
  if (/ECONNRESET|EPROTO|SSL|HPE_/.test(cause))
    return `${url} ends the connection without a response (${cause}); is it http where it should be https, or the other way round?`;
  if (/in time/.test(cause)) return `${url} takes requests, but gave ${cause}.`;
  return `nothing answers at ${url} (${cause}); start the gateway first, or name its address.`;
}
