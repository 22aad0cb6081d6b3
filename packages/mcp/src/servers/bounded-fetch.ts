import type { FetchLike } from '@modelcontextprotocol/client';
import { Agent, fetch } from 'undici';
import { isPrivateAddress, lookupPublic, PrivateAddress } from './deny-private.ts';
import { LIMITS_TEXT, MESSAGE_LIMITS } from './message-limits.ts';
import type { HttpTransport } from './server-entry.ts';
import { ValueCounter } from './value-counter.ts';

export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly code = 'ETOOLARGE';
}

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
    const body = response.body.pipeThrough(boundBytes(isStream));
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

/** Fails when more comes than may, before it is parsed; in a stream of events each event has its own bounds. */
function boundBytes(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const values = new ValueCounter();
  let bytes = 0;
  let tail = '';
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      let begun = chunk;
      if (isStream) {
        const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
        const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
        if (end >= 0) {
          bytes = text.length - end;
          values.begin();
          begun = chunk.subarray(Math.max(0, end - tail.length));
        }
        // An event may end between two chunks.
        tail = text.slice(-2);
      }
      values.read(begun);
      if (bytes > MESSAGE_LIMITS.bytes || values.count > MESSAGE_LIMITS.values)
        controller.error(new ResponseTooLarge(`The response is ${LIMITS_TEXT}.`));
      else controller.enqueue(chunk);
    },
  });
}
