import { decodePercent } from '@winnow/core';
import type { ReadOptions } from '../../format/request-reader.ts';
import type { RequestReading, WrappedText } from '../../format/view.ts';
import { BodyBytes } from '../../request/body-bytes.ts';
import { createBodyReader } from '../../request/read-body.ts';
import { entryFacts, readToolList } from '../../tools/read-tool-list.ts';
import { readRequest } from '../read-request.ts';

/** The facts in the path of an invocation: the body has neither the model nor a stream flag. */
interface Invocation {
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
  return { isStream: operation === 'invoke-with-response-stream', model: decodePercent(model) };
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

/** The request to count for: base64 in the place where other requests have their history. */
const readOuter = createBodyReader({
  within: ['input', 'invokeModel'],
  history: 'body',
  readTextHistory: (text) => text,
  tools: 'tools',
  readTools: (value, text) =>
    readToolList(value, text, (definition) => entryFacts(definition, undefined, false)),
});

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads the request within a request for its token count: `{"input":{"invokeModel":{"body":"…"}}}`, where
 * `body` is the request's bytes in base64.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelTokensRequest.html
 */
function readCounted(
  bytes: BodyBytes,
  take: ((bytes: number) => boolean) | undefined,
  readInner: (bytes: Uint8Array) => RequestReading,
): RequestReading {
  const outer = readOuter(bytes, { take });
  if (!outer.ok) return outer;
  const { history, spans, text } = outer.request;
  const [body] = history;
  if (typeof body !== 'string' || !BASE64.test(body)) return { ok: false, reason: 'unknown_shape' };
  if (take?.(body.length) === false) return { ok: false, reason: 'short_of_memory' };
  const reading = readInner(Buffer.from(body, 'base64'));
  if (!reading.ok) return reading;
  const { start, end } = spans.history[0]!;
  const wrapped: WrappedText = { before: text.slice(0, start), after: text.slice(end) };
  return { ok: true, view: { ...reading.view, bytes, wrapped } };
}
