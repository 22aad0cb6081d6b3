import type { OutgoingAnswer } from './outgoing-answer.ts';
import { prepareJson } from './prepare-json.ts';
import { providerRequestId } from './provider-request-id.ts';
import type { Rejection } from './rejection.ts';
import type { UpstreamFormat } from './upstream-format.ts';

/** Context for writing an error. */
export interface ErrorContext {
  readonly requestNumber: number;
  readonly format: Pick<UpstreamFormat, 'writeError' | 'writeHeaders'>;
  /** Headers in addition to the provider's. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes an error in the format's shape. */
export function prepareError(
  rejection: Rejection,
  { requestNumber, format, headers = {} }: ErrorContext,
): OutgoingAnswer {
  const requestId = providerRequestId(requestNumber);
  return prepareJson(format.writeError(rejection, requestId), {
    status: rejection.status,
    headers: { ...format.writeHeaders(requestId), ...headers },
  });
}
