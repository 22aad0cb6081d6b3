import type { ProxyError } from '../format.ts';

/** The provider's word for each status that it documents. */
const TYPE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** An error as the provider would send it, as JSON. */
export function errorBody({ status, message }: ProxyError): string {
  const type = TYPE_OF_STATUS.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return JSON.stringify({ type: 'error', error: { type, message } });
}
