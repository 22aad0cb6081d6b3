import type { IncomingMessage } from 'node:http';
import type { TokenSet } from '@winnow/service';
import { type ClientAccess, isFromHere } from '../edge/client-access.ts';
import { ACCESS_HEADER } from '../upstream/headers.ts';
import { PROXY_ERRORS } from '../upstream/proxy-error.ts';

/** A refusal to show the page: a status and a sentence. */
export interface PageRefusal {
  readonly status: number;
  readonly message: string;
}

/** The visitors who may see the page. */
export interface PageAccess {
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
export function asksForToken({ clients, pageTokens }: PageAccess): boolean {
  return clients.hasTokens || !pageTokens.isEmpty;
}

const NO_TOKEN = 'This page needs a token: that of page.token, or one of server.tokens.';
const NOT_HERE =
  "Without a token, this page is available only on the proxy's machine, and a container is another machine than its host. Set page.token, and enter it here.";
