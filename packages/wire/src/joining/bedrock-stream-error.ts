import type { RoundFailure } from '../format/response-joiner.ts';
import type { StreamEvent } from '../framing/wire-event.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { exceptionOf } from '../vendors/bedrock.ts';

/**
 * Returns the exception that ends a failed stream. It has the message of a refusal, unless that names a
 * hidden tool.
 *
 * Only some exceptions may occur in a stream; any other becomes an internal error of the service. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
export function bedrockStreamError(
  { message, refusal }: Omit<RoundFailure, 'kind' | 'reason'>,
  hidden: HiddenNames,
): StreamEvent {
  const type = refusal === undefined ? undefined : exceptionOf(refusal.status);
  const name = type !== undefined && IN_STREAM.has(type) ? type : 'InternalServerException';
  const said = refusal === undefined ? message : (wordsOf(refusal.body) ?? statusText(refusal.status));
  const isOpen = !hidden.areIn(said);
  const data = JSON.stringify({ message: isOpen ? said : statusText(refusal?.status ?? 502) });
  return { kind: 'event', name: name[0]!.toLowerCase() + name.slice(1), data, isError: true };
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
  const parsed = parseJson(body);
  const said = isJsonObject(parsed) ? (parsed.message ?? parsed.Message) : undefined;
  return typeof said === 'string' ? said : undefined;
}

function statusText(status: number): string {
  return `The upstream answered with status ${status}.`;
}
