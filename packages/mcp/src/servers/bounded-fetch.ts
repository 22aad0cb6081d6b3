import type { FetchLike } from '@modelcontextprotocol/client';
import { Agent, fetch } from 'undici';
import { boundBytes } from './bound-bytes.ts';
import { isPrivateAddress, lookupPublic, PrivateAddress } from './deny-private.ts';
import { MESSAGE_LIMITS } from './message-limits.ts';
import type { HttpTransport } from './server-entry.ts';

/** A `fetch` for one server, with connections of its own, which end when it is closed. */
export interface BoundedFetch {
  readonly fetch: FetchLike;
  close(): Promise<void>;
}

/**
 * Requests whose responses stay within bounds, whatever lengths they claim, and which go to no private address where the server says so. Which
 * redirects are followed is for the caller to say.
 */
export function createBoundedFetch({
  url: serverUrl,
  deniesPrivate,
}: Pick<HttpTransport, 'url' | 'deniesPrivate'>): BoundedFetch {
  const agent = new Agent({
    // Streams are silent for hours.
    bodyTimeout: 0,
    headersTimeout: 0,
    ...(deniesPrivate && { connect: { lookup: lookupPublic as never } }),
  });
  const bounded: FetchLike = async (url, init) => {
    const { hostname } = new URL(url);
    // A literal address is not looked up.
    if (deniesPrivate && isLiteral(hostname) && isPrivateAddress(hostname.replace(/^\[|\]$/g, ''))) {
      throw new PrivateAddress('The address is private.');
    }
    const response = (await fetch(url, { ...(init as object), dispatcher: agent })) as unknown as Response;
    if (response.body === null) return response;
    if (response.status >= 400 && String(url) !== new URL(serverUrl).href) return plainError(response);
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    // A stream that the client opens for notifications alone goes on for days.
    const maxMessages = init?.method === 'POST' ? MESSAGE_LIMITS.messages : Number.POSITIVE_INFINITY;
    const body = response.body.pipeThrough(boundBytes(isStream, maxMessages));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers: new Headers([...headers]) });
  };
  return { fetch: bounded, close: () => agent.destroy() };
}

/**
 * Replaces the text of an authorization server's error: the vendor's client writes it to the console, and it may repeat
 * what was sent. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
async function plainError({ status, headers, body }: Response): Promise<Response> {
  const text = await new Response(body!.pipeThrough(boundBytes(false))).text().catch(() => '');
  const [, code = 'server_error'] = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(text) ?? [];
  const challenge = headers.get('www-authenticate');
  return Response.json(
    { error: code },
    { status, headers: challenge === null ? {} : { 'www-authenticate': challenge } },
  );
}

function isLiteral(hostname: string): boolean {
  return /^[\d.]+$|^\[/.test(hostname);
}
