import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ToolCostTable } from '@winnow/core';
import { type ExchangeTotals, exchangePage, type TokenSet, type UpstreamState } from '@winnow/service';
import { type ClientAccess, isFromHere } from '../edge/client-access.ts';
import { ACCESS_HEADER } from '../upstream/headers.ts';
import { PROXY_ERRORS } from '../upstream/proxy-error.ts';
import { explainSearches } from './explain-search.ts';
import type { LiveFeed } from './live-feed.ts';

/** Dependencies of the page. */
interface LivePageOptions {
  readonly feed: LiveFeed;
  readonly access: PageAccess;
  readonly states: () => LiveStates;
  /** Returns what servers and tools have cost since the start. */
  readonly toolCosts: () => ToolCostTable;
  readonly about: { readonly version: string; readonly strategy: string; readonly mode: string };
  /** Whether texts of searches are shown. */
  readonly withContent: boolean;
  readonly isDraining: () => boolean;
  /** Calls back at an interval until the returned function is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Yields to other work between two slices of a long search. */
  readonly pause: () => Promise<void>;
}

const TEXT = 'text/plain; charset=utf-8';

const PAGE_PATH = '/_winnow/';

/** Interval between writes of exchanges, in milliseconds: batching saves writes without a visible delay. */
const EXCHANGES_MS = 100;
/** Interval between writes of states, in milliseconds; they also keep the connection alive. */
const STATES_MS = 2_000;
/** Maximum number of simultaneous watchers. */
const MOST_WATCHERS = 16;
/** Maximum number of unsent bytes per watcher; a slower one is disconnected and reconnects. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

const PAGE = exchangePage();

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Handles the requests of the page. Returns false, without side effects, for any other request. */
export function livePage(
  options: LivePageOptions,
): (incoming: IncomingMessage, outgoing: ServerResponse) => boolean {
  return (incoming, outgoing) => {
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return false;
    if (incoming.url === '/' && isVisit(incoming)) {
      redirectToPage(outgoing);
      return true;
    }
    if (incoming.url === '/' || (incoming.url === PAGE_PATH && !isVisit(incoming))) {
      if (!refuse(incoming, outgoing, options)) sendPlain(outgoing, options);
      return true;
    }
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://page');
    if (pathname === PAGE_PATH) {
      // The page itself reveals nothing; with tokens, it asks its visitor for one.
      if (asksForToken(options.access) || !refuse(incoming, outgoing, options)) sendPage(outgoing);
      return true;
    }
    const [, part, id = ''] = /^\/_winnow\/(live|exchanges|tools)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    if (part === undefined) return false;
    if (refuse(incoming, outgoing, options)) return true;
    if (part === 'live') stream(incoming, outgoing, options);
    else if (part === 'tools') sendToolCosts(outgoing, options);
    else if (id === '') sendRows(outgoing, options);
    else void sendDetails(outgoing, { id, tool: searchParams.get('tool') }, options);
    return true;
  };
}

/** Whether a request comes from a browser: other clients do not ask for HTML. */
function isVisit({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

/** Redirects a visitor of the root to the page. */
function redirectToPage(outgoing: ServerResponse): void {
  outgoing.writeHead(302, { location: PAGE_PATH, 'content-length': 0, ...COMMON_HEADERS });
  outgoing.end();
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, { access }: LivePageOptions): boolean {
  const refusal = pageRefusal(incoming, access);
  if (refusal === undefined) return false;
  send(outgoing, refusal.status, TEXT, `${refusal.message}\n`);
  return true;
}

function sendPlain(outgoing: ServerResponse, { feed, about, states }: LivePageOptions): void {
  const { totals, upstreams } = feed;
  send(outgoing, 200, TEXT, plainPage({ about, totals, upstreams, states: states() }));
}

function sendPage(outgoing: ServerResponse): void {
  send(outgoing, 200, 'text/html; charset=utf-8', PAGE.body, PAGE.headers);
}

function send(
  outgoing: ServerResponse,
  status: number,
  type: string,
  body: string,
  more: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...COMMON_HEADERS,
    ...more,
  });
  outgoing.end(body);
}

/**
 * Streams server-sent events: `hello` with the states, `exchange` with the row of each exchange from now on,
 * `state` every two seconds. Ends when the watcher's token is no longer accepted.
 */
function stream(incoming: IncomingMessage, outgoing: ServerResponse, options: LivePageOptions): void {
  const { feed, about, withContent, isDraining, every, access } = options;
  if (feed.watchers >= MOST_WATCHERS) {
    send(outgoing, 503, TEXT, 'Too many browsers show this page already.\n');
    return;
  }
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    ...COMMON_HEADERS,
  });
  const tell = (event: string, values: readonly string[]) => {
    if (values.length === 0 || outgoing.writableEnded) return;
    if (outgoing.writableLength > MOST_WAITING_BYTES) outgoing.destroy();
    else outgoing.write(values.map((data) => `event: ${event}\ndata: ${data}\n\n`).join(''));
  };
  const state = () => ({ ...options.states(), totals: feed.totals, upstreams: feed.upstreams });
  const view = feed.watch();
  tell('hello', [JSON.stringify({ about, withContent, state: state() })]);
  const stopShowing = every(EXCHANGES_MS, () => {
    if (pageRefusal(incoming, access) === undefined) tell('exchange', view.next());
    else outgoing.end();
  });
  const stopTelling = every(STATES_MS, () => {
    // A watcher must not keep the proxy from stopping.
    if (isDraining()) outgoing.end();
    else tell('state', [JSON.stringify(state())]);
  });
  outgoing.on('error', () => outgoing.destroy());
  outgoing.once('close', () => {
    view.leave();
    stopShowing();
    stopTelling();
  });
}

/** Sends all rows that are held, oldest first, as lines of JSON; as fast as they are read. */
function sendRows(outgoing: ServerResponse, { feed }: LivePageOptions): void {
  outgoing.writeHead(200, { 'content-type': 'application/x-ndjson', ...COMMON_HEADERS });
  // A reader that leaves needs no answer.
  pipeline(Readable.from(linesOf(feed.rows)), outgoing, () => {});
}

/** Number of rows in one write: about 50 KB. */
const ROWS_AT_ONCE = 100;

function* linesOf(rows: Iterable<string>): Generator<string> {
  let lines: string[] = [];
  for (const row of rows) {
    lines.push(row);
    if (lines.length < ROWS_AT_ONCE) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

/** Maximum number of tools, and of servers, that are sent. */
const MOST_COSTS = 5_000;

/** Sends the costs of servers and tools, those that cost most first. */
function sendToolCosts(outgoing: ServerResponse, { toolCosts }: LivePageOptions): void {
  const { tools, servers, ...counts } = toolCosts();
  const table = { ...counts, tools: tools.slice(0, MOST_COSTS), servers: servers.slice(0, MOST_COSTS) };
  sendJson(outgoing, 200, table);
}

function sendJson(outgoing: ServerResponse, status: number, value: unknown): void {
  send(outgoing, status, 'application/json', JSON.stringify(value));
}

async function sendDetails(
  outgoing: ServerResponse,
  { id, tool }: { readonly id: string; readonly tool: string | null },
  { feed, withContent, pause }: LivePageOptions,
): Promise<void> {
  const json = (status: number, value: unknown) => sendJson(outgoing, status, value);
  const details = feed.detailsOf(id);
  if (details === undefined) {
    json(404, { error: 'The details of this exchange are no longer held.' });
    return;
  }
  const { searched, ...held } = details;
  if (tool === null) {
    json(200, { ...held, canExplain: searched !== undefined });
    return;
  }
  const places =
    searched && (await explainSearches(searched, tool, { withContent, pause }).catch(() => undefined));
  if (places === undefined) json(404, { error: 'The searches of this exchange are no longer held.' });
  else json(200, { places });
}

/** A refusal to show the page: a status and a sentence. */
interface PageRefusal {
  readonly status: number;
  readonly message: string;
}

/** The visitors who may see the page. */
interface PageAccess {
  readonly clients: ClientAccess;
  /** A token for the page only. */
  readonly pageTokens: TokenSet;
}

/**
 * Returns the reason for refusing a request for the page; undefined if it is allowed. The page's own token
 * lets anyone see it. Otherwise, if tokens are configured, every request must carry one; if none are, it must
 * come from this machine, under one of its names, and not from another site's page.
 */
export function pageRefusal(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  { clients, pageTokens }: PageAccess,
): PageRefusal | undefined {
  const given = headers[ACCESS_HEADER];
  if (typeof given === 'string' && pageTokens.find(given) !== undefined) return undefined;
  const refusal = clients.refusal({ headers, parameters: [], guard: 'key' });
  const isHere = clients.hasTokens || isFromHere(socket);
  if (refusal === undefined && isHere) return undefined;
  if (asksForToken({ clients, pageTokens })) return { status: 401, message: NO_TOKEN };
  if (refusal !== undefined) return { status: PROXY_ERRORS[refusal.code], message: refusal.message };
  return { status: 403, message: NOT_HERE };
}

/** Whether a visitor can show a token, so that the page is worth loading: it asks for one. */
function asksForToken({ clients, pageTokens }: PageAccess): boolean {
  return clients.hasTokens || !pageTokens.isEmpty;
}

const NO_TOKEN = 'This page needs a token: that of page.token, or one of server.tokens.';
const NOT_HERE =
  "Without a token, this page is available only on the proxy's machine, and a container is another machine than its host. Set page.token, and enter it here.";

/** The states of the proxy's dependencies. */
interface LiveStates {
  /** The state of the selector's circuit breaker; undefined if no selector is configured. */
  readonly breaker: 'closed' | 'half_open' | 'open' | undefined;
  readonly sessionStore: 'memory' | 'redis';
  readonly isSessionStoreUp: boolean;
  readonly openExchanges: number;
}

/** The content of the page. */
interface PlainContent {
  readonly about: { readonly version: string; readonly strategy: string; readonly mode: string };
  readonly totals: ExchangeTotals;
  readonly upstreams: readonly UpstreamState[];
  readonly states: LiveStates;
}

/** Returns the page's totals and states as text, for clients that show no HTML, such as curl. */
function plainPage({ about, totals, upstreams, states }: PlainContent): string {
  const { tokensBefore, tokensAfter, searches, failedSearches } = totals;
  const share = tokensBefore === 0 ? '' : `, ${Math.round(100 * (1 - tokensAfter / tokensBefore))} % saved`;
  const lines: readonly (readonly [name: string, value: string])[] = [
    ['since', new Date(totals.since).toISOString()],
    ['exchanges', `${totals.exchanges}, ${totals.deferring} with deferred tools, ${totals.failed} failed`],
    [
      'tool tokens',
      `${tokensBefore} sent by clients, ${tokensAfter} forwarded${share} (estimated from bytes)`,
    ],
    ['searches', `${searches}, ${failedSearches} failed`],
    ['open now', String(states.openExchanges)],
    ['selector', states.breaker === undefined ? 'not asked' : `circuit ${states.breaker}`],
    ['sessions', `${states.sessionStore}, ${states.isSessionStoreUp ? 'working' : 'not reachable'}`],
    ...upstreams.map(({ name, isWorking, status, cause, time }): [string, string] => {
      const because = [status, cause].filter((part) => part !== undefined).join(' ');
      return [`upstream ${name}`, `${isWorking ? 'working' : 'failing'} (${because} at ${time})`];
    }),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    `winnow proxy ${about.version}, strategy ${about.strategy}, rollout ${about.mode}`,
    ...lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    'A browser shows every exchange at this address. /_winnow/metrics has metrics, /_winnow/readyz the readiness.',
    '',
  ].join('\n');
}
