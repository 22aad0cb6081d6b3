import type { RoundFailure } from '../format/response-joiner.ts';
import type { StreamEvent, WireEvent } from '../framing/wire-event.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import type { Vendor } from '../vendors/vendor.ts';

/** A response that has failed. */
export interface FailedResponse {
  readonly failure: RoundFailure;
  /** The error that the upstream has sent within it, if it has. */
  readonly sent: StreamEvent | undefined;
  /** The body of a refusal as an event of the stream, where it is an error of the format; undefined for any other. */
  readonly errorIn: (body: string) => string | undefined;
  readonly vendor: Pick<Vendor, 'errorBody'>;
  readonly hidden: HiddenNames;
  readonly isStream: boolean;
}

/**
 * What the client gets of a round that has failed, and of which it knows nothing: the error that the upstream has sent, else the one that it has
 * refused the round with, as it came or at least with its status, else one of ours. Nothing of it names what is hidden.
 */
export function failResponse({
  failure: { message, refusal },
  sent,
  errorIn,
  vendor,
  hidden,
  isStream,
}: FailedResponse): readonly WireEvent[] {
  const refused = () => {
    if (refusal === undefined) return undefined;
    const { status, body } = refusal;
    const own = hidden.areIn(body) ? undefined : errorIn(body);
    return own ?? vendor.errorBody({ status, message: `The upstream answered with status ${status}.` });
  };
  const isOurs = sent === undefined || hidden.areIn(sent.data);
  const event: StreamEvent = isOurs
    ? { kind: 'event', data: refused() ?? vendor.errorBody({ status: 502, message }) }
    : sent;
  return [isStream ? event : { kind: 'whole', text: event.data }];
}
