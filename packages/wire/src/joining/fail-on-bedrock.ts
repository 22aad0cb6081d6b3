import type { RoundFailure } from '../format/response-joiner.ts';
import type { StreamEvent, WireEvent } from '../framing/wire-event.ts';
import { parseObject } from '../json/json-members.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { bedrock, exceptionOf } from '../vendors/bedrock.ts';
import { failedBody } from './failed-body.ts';
import type { PartState } from './part-state.ts';

/** State of an exchange with Bedrock that fails. */
interface FailingState extends Pick<PartState<unknown>, 'isWhole' | 'rounds' | 'body'> {
  /** The exception that the upstream has sent in its stream. */
  readonly error: StreamEvent | undefined;
}

/**
 * Returns the end of a failed response: the exception of a stream, or an error body. It has the message of a
 * refusal, unless that names a hidden tool.
 *
 * Only some exceptions may occur in a stream; any other becomes an internal error of the service. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
export function failOnBedrock(
  state: FailingState,
  failure: RoundFailure,
  hidden: HiddenNames,
): readonly WireEvent[] {
  const { error, isWhole } = state;
  const { reason, refusal } = failure;
  if (!isWhole && reason === 'upstream_error' && error && !hidden.areIn(error.data)) return [error];
  const said = wordsOf(refusal?.body ?? '') ?? failure.message;
  const message = hidden.areIn(said) ? failure.message : said;
  const { status } = refusal ?? { status: 502 };
  if (isWhole) {
    const own = bedrock.errorBody({ status, message });
    return [{ kind: 'whole', text: failedBody(state, failure, { own, sent: undefined }, hidden) }];
  }
  const type = exceptionOf(status);
  const name = IN_STREAM.has(type) ? type : 'InternalServerException';
  const data = JSON.stringify({ message });
  return [{ kind: 'event', name: name[0]!.toLowerCase() + name.slice(1), data, isError: true }];
}

const IN_STREAM: ReadonlySet<string> = new Set([
  'InternalServerException',
  'ModelStreamErrorException',
  'ModelTimeoutException',
  'ServiceUnavailableException',
  'ThrottlingException',
  'ValidationException',
]);

function wordsOf(body: string): string | undefined {
  const parsed = parseObject(body);
  const said = parsed?.message ?? parsed?.Message;
  return typeof said === 'string' ? said : undefined;
}
