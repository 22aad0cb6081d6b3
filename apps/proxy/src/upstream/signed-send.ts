import { headerValue } from '../http/headers.ts';
import { ProxyError } from '../http/proxy-error.ts';
import type { MemoryHold } from '../memory/request-memory.ts';
import { sha256 } from '../signing/aws-signature.ts';
import { signHeaders } from '../signing/sign-headers.ts';
import { missingCredentials } from './resolve-signing.ts';
import type { SendUpstream, UpstreamRequest } from './send-upstream.ts';

/** Context for signing requests. */
export interface SigningContext {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** The largest body to buffer for signing, in bytes. */
  readonly limitBytes: number;
  /** Opens a hold on the shared memory for one request. */
  readonly openHold: () => MemoryHold;
}

/**
 * Wraps a send so that every request to an upstream that requires it is signed. The signature covers the
 * exact bytes sent, so an unread body is read first, unless the client has declared its hash, which the
 * upstream verifies.
 *
 * The returned send rejects with `no_credentials` if no credentials are available.
 */
export function signedSend(send: SendUpstream, context: SigningContext): SendUpstream {
  return async (request) => {
    const { auth } = request.upstream;
    if (auth.kind !== 'sigv4') return send(request);
    const credentials = await auth.credentials();
    if (credentials === undefined) throw missingCredentials(request.upstream);
    const hold = context.openHold();
    try {
      const { body, bodyHash } = await hashed(request, context, hold);
      const { method, path, upstream } = request;
      const host = new URL(upstream.origin).host;
      const now = context.wallClock();
      const headers = signHeaders(
        { method, path, host, headers: request.headers, bodyHash },
        { ...auth, credentials, now },
      );
      return await send({ ...request, headers, body });
    } finally {
      hold.release();
    }
  };
}

type HashedBody = Pick<UpstreamRequest, 'body'> & { readonly bodyHash: string };

async function hashed(
  { body, headers }: UpstreamRequest,
  { limitBytes }: SigningContext,
  hold: MemoryHold,
): Promise<HashedBody> {
  if (body === null || body instanceof Uint8Array) return { body, bodyHash: sha256(body ?? '') };
  const said = headerValue(headers, 'x-amz-content-sha256');
  if (said !== undefined && /^[0-9a-f]{64}$/.test(said)) return { body, bodyHash: said };
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > limitBytes) {
      throw new ProxyError('body_too_large', `The request body is larger than ${limitBytes} bytes.`);
    }
    if (!hold.take(piece.length)) throw new ProxyError('short_of_memory', SHORT_OF_MEMORY);
    pieces.push(piece);
  }
  const whole = Buffer.concat(pieces, length);
  return { body: whole, bodyHash: sha256(whole) };
}

const SHORT_OF_MEMORY = 'The proxy has no memory left to read and sign this request. Try again.';
