import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@winnow/service';
import type { ClientAccess } from '../edge/client-access.ts';
import { PROXY_ERRORS } from '../http/proxy-error.ts';

/** A refusal to show the page: a status and a sentence. */
export interface PageRefusal {
  readonly status: number;
  readonly message: string;
}

/**
 * Returns the reason for refusing a request for the page; undefined if it is allowed. If tokens are
 * configured, every request must carry one. Otherwise it must come from this machine, under one of its names,
 * and not from another site's page.
 */
export function pageRefusal(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  access: ClientAccess,
): PageRefusal | undefined {
  const refusal = access.refusal({ headers, parameters: [], guard: 'key' });
  if (refusal !== undefined) return { status: PROXY_ERRORS[refusal.code], message: refusal.message };
  if (access.hasTokens || isLoopback(addressOf(socket.remoteAddress))) return undefined;
  return { status: 403, message: NOT_HERE };
}

const NOT_HERE =
  "Without tokens, this page is available only on the proxy's machine: see server.tokens. In a container, set a token, or open the page from inside.";

/** Returns the address, with IPv4-mapped IPv6 addresses converted to IPv4. */
function addressOf(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
