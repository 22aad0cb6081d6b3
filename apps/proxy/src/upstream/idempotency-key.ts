import { headerValue, type RawHeaders } from '../http/headers.ts';

const NAME = 'idempotency-key';

/**
 * The idempotency key of the request that is number `call` of its exchange, from 1, as a header to replace the client's; nothing when
 * that stands as it is.
 *
 * One key on two different bodies is a conflict. A client that tries again makes the same calls under the same keys.
 */
export function idempotencyKey(client: RawHeaders, call: number): Readonly<Record<string, string>> {
  const key = headerValue(client, NAME);
  return key === undefined || call === 1 ? {} : { [NAME]: `${key}-${call}` };
}
