import type { RequestReading, WrappedText } from '../../format/view.ts';
import type { BodyBytes } from '../../request/body-bytes.ts';
import { createBodyReader } from '../../request/read-body.ts';
import { readToolList } from '../../tools/read-tool-list.ts';

/** The request to count for: base64 in the place where other requests have their history. */
const readOuter = createBodyReader({
  within: ['input', 'invokeModel'],
  history: 'body',
  readTextHistory: (text) => text,
  tools: 'tools',
  readTools: (value, text) => readToolList(value, text, () => NO_TOOL),
});

const NO_TOOL = {
  name: undefined,
  description: '',
  definition: undefined,
  kind: 'other',
  isCacheMarked: false,
} as const;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads the request within a request for its token count: `{"input":{"invokeModel":{"body":"…"}}}`, where
 * `body` is the request's bytes in base64.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelTokensRequest.html
 */
export function readCounted(
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
