import type { IncomingMessage } from 'node:http';
import type { ClientAccess } from '../edge/client-access.ts';
import { isLoopback } from '../http/is-loopback.ts';
import { PROXY_ERRORS } from '../http/proxy-error.ts';

/** Why somebody does not see the page, as a status and a sentence. */
export interface PageRefusal {
  readonly status: number;
  readonly message: string;
}

/**
 * Why a request for what the page shows is refused; undefined when it is not. With tokens, it must carry one, from wherever it comes.
 * Without, it must come from this machine, under a name of this machine's, and from no other site's page.
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
  'This page is shown on the machine of the proxy alone, unless tokens are set: see server.tokens. In a container, set one, or look at the port from within.';

/** Addresses of version 4 in the form of version 6 are what they are. */
function addressOf(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
