import type { ReadOptions } from '../../format/request-reader.ts';
import type { RequestReading } from '../../format/view.ts';
import type { BodyBytes } from '../../request/body-bytes.ts';
import { decodePath } from '../../request/decode-path.ts';
import { readRequest } from '../read-request.ts';

/** The facts in the path of an invocation: the body has neither the model nor a stream flag. */
export interface Invocation {
  readonly isStream: boolean;
  readonly model: string;
}

/**
 * Returns the model that a path invokes and whether it streams; undefined for every other operation. Matches
 * `/model/{id}/invoke` and `/model/{id}/invoke-with-response-stream` under any prefix.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
function invocationOf(path: string): Invocation | undefined {
  const [, model = '', operation] =
    /\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? [];
  return operation === undefined ? undefined : { isStream: operation !== 'invoke', model: decodePath(model) };
}

/** Reads an invocation of Claude. Bodies for other models have other shapes and no `anthropic_version`. */
export function readInvocation(bytes: BodyBytes, options: ReadOptions): RequestReading {
  const reading = readRequest(bytes, options);
  if (!reading.ok) return reading;
  const { view } = reading;
  if (typeof view.body.anthropic_version !== 'string') return { ok: false, reason: 'unknown_shape' };
  return { ok: true, view: { ...view, ...invocationOf(options.path) } };
}
