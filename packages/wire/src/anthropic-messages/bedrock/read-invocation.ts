import type { ReadOptions } from '../../format/request-reader.ts';
import type { RequestReading } from '../../format/view.ts';
import type { BodyBytes } from '../../request/body-bytes.ts';
import { decodePath } from '../../request/decode-path.ts';
import { readRequest } from '../read-request.ts';

/** What the path of an invocation says: its body has neither the model nor the wish for a stream. */
export interface Invocation {
  readonly isStream: boolean;
  readonly model: string;
}

/**
 * Which model a path invokes, and how, undefined for every other operation: `/model/{id}/invoke` and `/model/{id}/invoke-with-response-stream` under
 * any prefix.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
export function invocationOf(path: string): Invocation | undefined {
  const [, model = '', operation] =
    /\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? [];
  return operation === undefined ? undefined : { isStream: operation !== 'invoke', model: decodePath(model) };
}

/** Reads an invocation of Claude; those of other models have bodies of other shapes, without a version of Anthropic's. */
export function readInvocation(bytes: BodyBytes, options: ReadOptions): RequestReading {
  const reading = readRequest(bytes, options);
  if (!reading.ok) return reading;
  const { view } = reading;
  if (typeof view.body.anthropic_version !== 'string') return { ok: false, reason: 'unknown_shape' };
  return { ok: true, view: { ...view, ...invocationOf(options.path) } };
}
