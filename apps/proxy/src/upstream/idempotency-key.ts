import { headerValue, type RawHeaders } from '../http/headers.ts';

const NAME = 'idempotency-key';

/**
 * Returns the idempotency key for the exchange's request number `call`, counted from 1, as a header that
 * replaces the client's; empty if the client's key applies unchanged.
 *
 * One key on two different bodies is a conflict. A client that retries makes the same calls under the same
 * keys.
 */
export function idempotencyKey(client: RawHeaders, call: number): Readonly<Record<string, string>> {
  const key = headerValue(client, NAME);
  return key === undefined || call === 1 ? {} : { [NAME]: `${key}-${call}` };
}
