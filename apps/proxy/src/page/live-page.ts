import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAccess } from '../edge/client-access.ts';
import { clientScript } from './client-script.ts';
import { explainSearches } from './explain-search.ts';
import type { LiveFeed } from './live-feed.ts';
import { pageRefusal } from './page-access.ts';

/** What the page tells of what the proxy leans on. */
export interface LiveStates {
  /** Of the circuit breaker in front of the selector; undefined where no selector is asked. */
  readonly breaker: 'closed' | 'half_open' | 'open' | undefined;
  readonly sessionStore: 'memory' | 'redis';
  readonly isSessionStoreUp: boolean;
  readonly openExchanges: number;
}

/** What the page takes of the proxy. */
export interface LivePageOptions {
  readonly feed: LiveFeed;
  readonly access: ClientAccess;
  readonly states: () => LiveStates;
  readonly about: { readonly version: string; readonly strategy: string; readonly mode: string };
  /** Whether texts of searches are shown. */
  readonly withContent: boolean;
  readonly isDraining: () => boolean;
  /** Calls back every so many milliseconds until the function that it gives is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Lets other work go between two slices of a long search. */
  readonly pause: () => Promise<void>;
}

/** Where the page is. */
const PAGE_PATH = '/_winnow/';

/** How often exchanges are told, in milliseconds: what nobody sees any sooner costs one write together. */
const EXCHANGES_MS = 100;
/** How often states are told, in milliseconds, and with them that the connection lives. */
const STATES_MS = 2_000;
/** People who watch at a time. */
const MOST_WATCHERS = 16;
/** What may wait for one of them, in bytes; one that is slower is cut off, and comes back by himself. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

const STYLES = readFileSync(new URL('./client/live-page.css', import.meta.url), 'utf8');
const SCRIPT = clientScript();
const PAGE = readFileSync(new URL('./client/live-page.html', import.meta.url), 'utf8')
  .replace('<style></style>', () => `<style>${STYLES}</style>`)
  .replace('<script type="module"></script>', () => `<script type="module">${SCRIPT}</script>`);

/** Nothing but what stands in the page itself may run, and nothing be asked but this proxy. */
const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLES)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Handles the requests of the page. Gives false for one that is none of its own, and has done nothing then. */
export function livePage(
  options: LivePageOptions,
): (incoming: IncomingMessage, outgoing: ServerResponse) => boolean {
  return (incoming, outgoing) => {
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return false;
    if (incoming.url === '/') {
      if (!isVisit(incoming)) return false;
      redirectToPage(outgoing);
      return true;
    }
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://page');
    if (pathname === PAGE_PATH) {
      // The page itself tells nothing: with tokens, whoever opens it is asked for one.
      if (options.access.hasTokens || !refuse(incoming, outgoing, options)) sendPage(outgoing);
      return true;
    }
    const [, part, id = ''] = /^\/_winnow\/(live|exchanges)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    if (part === undefined) return false;
    if (refuse(incoming, outgoing, options)) return true;
    if (part === 'live') stream(outgoing, options);
    else void sendDetails(outgoing, { id, tool: searchParams.get('tool') }, options);
    return true;
  };
}

/** Whether a request for the root is that of somebody who looks: clients of providers ask for no page. */
function isVisit({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');
}

/** Sends a visitor of the root to the page. */
function redirectToPage(outgoing: ServerResponse): void {
  outgoing.writeHead(302, { location: PAGE_PATH, 'content-length': 0, ...COMMON_HEADERS });
  outgoing.end();
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, { access }: LivePageOptions): boolean {
  const refusal = pageRefusal(incoming, access);
  if (refusal === undefined) return false;
  send(outgoing, refusal.status, 'text/plain; charset=utf-8', `${refusal.message}\n`);
  return true;
}

function sendPage(outgoing: ServerResponse): void {
  send(outgoing, 200, 'text/html; charset=utf-8', PAGE, { 'content-security-policy': CONTENT_POLICY });
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

/** Exchanges as they happen, as server-sent events: `hello` with what there is, `exchange` for each of the last 200, `state` every two seconds. */
function stream(outgoing: ServerResponse, options: LivePageOptions): void {
  const { feed, about, withContent, isDraining, every } = options;
  if (feed.watchers >= MOST_WATCHERS) {
    send(outgoing, 503, 'text/plain; charset=utf-8', 'Too many people watch already.\n');
    return;
  }
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    ...COMMON_HEADERS,
  });
  const tell = (event: string, values: readonly unknown[]) => {
    if (values.length === 0 || outgoing.writableEnded) return;
    if (outgoing.writableLength > MOST_WAITING_BYTES) outgoing.destroy();
    else outgoing.write(values.map((data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''));
  };
  const state = () => ({ ...options.states(), totals: feed.totals, upstreams: feed.upstreams });
  const view = feed.watch();
  tell('hello', [{ about, withContent, state: state(), exchanges: view.next() }]);
  const stopShowing = every(EXCHANGES_MS, () => tell('exchange', view.next()));
  const stopTelling = every(STATES_MS, () => {
    // Somebody who watches must not keep the proxy from stopping.
    if (isDraining()) outgoing.end();
    else tell('state', [state()]);
  });
  outgoing.on('error', () => outgoing.destroy());
  outgoing.once('close', () => {
    view.leave();
    stopShowing();
    stopTelling();
  });
}

async function sendDetails(
  outgoing: ServerResponse,
  { id, tool }: { readonly id: string; readonly tool: string | null },
  { feed, withContent, pause }: LivePageOptions,
): Promise<void> {
  const json = (status: number, value: unknown) =>
    send(outgoing, status, 'application/json', JSON.stringify(value));
  const details = feed.detailsOf(id);
  if (details === undefined) {
    json(404, { error: 'Nothing more is known of this exchange.' });
    return;
  }
  const { tools, searched } = details;
  if (tool === null) {
    json(200, { tools, canExplain: searched !== undefined });
    return;
  }
  const places =
    searched && (await explainSearches(searched, tool, { withContent, pause }).catch(() => undefined));
  if (places === undefined) json(404, { error: 'The searches of this exchange are no longer held.' });
  else json(200, { places });
}
