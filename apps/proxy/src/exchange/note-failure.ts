import type { ExchangeRecord } from '@winnow/contract';
import type { IncomingExchange } from '../app.ts';
import { errorCodeOf, PROXY_ERRORS } from '../client/proxy-error.ts';

/** Puts into the record how an exchange has failed: whether the client has left, and if not, the status that it has got or is about to get. */
export function noteFailure(
  record: ExchangeRecord,
  error: unknown,
  { outgoing, signal }: IncomingExchange,
): void {
  record.outcome = signal.aborted ? 'client_gone' : 'failed';
  if (signal.aborted) return;
  record.status = outgoing.headersSent ? outgoing.statusCode : PROXY_ERRORS[errorCodeOf(error)];
}
