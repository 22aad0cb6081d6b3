import type { ReadOptions } from '../../format/request-reader.ts';
import type { RequestReading } from '../../format/view.ts';
import { BodyBytes } from '../../request/body-bytes.ts';
import { decodePath } from '../../request/decode-path.ts';
import { readRequest } from '../read-request.ts';
import { readCounted } from './read-counted.ts';

/** The facts in the path of an invocation: the body has neither the model nor a stream flag. */
export interface Invocation {
  readonly isStream: boolean;
  readonly model: string;
}

/**
 * Returns the model that a path invokes and whether it streams; undefined for every other operation. Matches
 * `/model/{id}/invoke`, `/model/{id}/invoke-with-response-stream` and `/model/{id}/count-tokens` under any
 * prefix.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html and
 * API_runtime_CountTokens.html.
 */
function invocationOf(path: string): Invocation | undefined {
  const [, model = '', operation] =
    /\/model\/([^/]+)\/(invoke|invoke-with-response-stream|count-tokens)$/.exec(path) ?? [];
  if (operation === undefined) return undefined;
  return { isStream: operation === 'invoke-with-response-stream', model: decodePath(model) };
}

/** Reads an invocation of Claude, or a request for the count of its tokens. */
export function readInvocation(bytes: BodyBytes, options: ReadOptions): RequestReading {
  if (options.purpose === 'answer') return readClaude(bytes, options);
  return readCounted(bytes, options.take, (inner) => readClaude(new BodyBytes([inner]), options));
}

/** Reads a body for Claude. Those for other models have other shapes and no `anthropic_version`. */
function readClaude(bytes: BodyBytes, options: ReadOptions): RequestReading {
  const reading = readRequest(bytes, options);
  if (!reading.ok) return reading;
  const { view } = reading;
  if (typeof view.body.anthropic_version !== 'string') return { ok: false, reason: 'unknown_shape' };
  return { ok: true, view: { ...view, ...invocationOf(options.path) } };
}
