import { type CompleteAnswer, completeAnswer } from './complete-answer.ts';
import type { OutgoingAnswer } from './deliver.ts';
import type { Delivery } from './delivery.ts';
import { type BodyItem, encodeEvents } from './encode-events.ts';
import type { Interruption } from './interruption.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { RequestContent } from './received-request.ts';
import type { Rejection } from './rejection.ts';
import type { BytesAnswer, MessageAnswer, Usage } from './scripted-answer.ts';
import type { SseEvent } from './stream-item.ts';
import type { UpstreamFormat } from './upstream-format.ts';

/** What an answer is written with. */
export interface AnswerContext {
  readonly request: RequestContent;
  readonly requestNumber: number;
  readonly format: UpstreamFormat;
  readonly delivery: Delivery;
}

/** A message that is ready to be sent, and the tokens it reports. */
export interface PreparedMessage {
  readonly outgoing: OutgoingAnswer;
  readonly usage: Usage;
}

/** Writes a message in the request's format, as a stream when the request asks for one. */
export function prepareMessage(scripted: MessageAnswer, context: AnswerContext): PreparedMessage {
  const { request, requestNumber, format, delivery } = context;
  const body = isJsonObject(request.json) ? request.json : {};
  const answer = completeAnswer(scripted, { requestNumber, body, prefixes: format.idPrefixes });
  const isStream = body.stream === true;
  const error = isStream ? undefined : [...interruptionsIn(answer)].find(({ type }) => type === 'error');
  if (error?.type === 'error') {
    // What breaks a stream in the middle is the answer itself where there is no stream.
    return {
      outgoing: prepareError({ ...error, status: 500 }, { requestNumber, format }),
      usage: answer.usage,
    };
  }
  const headers = {
    'content-type': isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
    ...format.writeHeaders(requestIdOf(requestNumber)),
    ...scripted.headers,
  };
  const content = isStream
    ? encodeEvents(format.writeStream(answer, body), delivery, format.signs)
    : writeWhole(answer, body, format);
  return { outgoing: { status: 200, headers, body: content }, usage: answer.usage };
}

/** Writes an error in the format's shape, or in OpenAI's for paths that have none. */
export function prepareError(
  rejection: Rejection,
  {
    requestNumber,
    format,
    headers = {},
  }: Pick<AnswerContext, 'requestNumber'> & {
    readonly format: Pick<UpstreamFormat, 'writeError' | 'writeHeaders'>;
    readonly headers?: Readonly<Record<string, string>>;
  },
): OutgoingAnswer {
  const requestId = requestIdOf(requestNumber);
  return prepareJson(format.writeError(rejection, requestId), {
    status: rejection.status,
    headers: { ...format.writeHeaders(requestId), ...headers },
  });
}

/** A JSON body. */
export function prepareJson(
  body: JsonObject,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): OutgoingAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [Buffer.from(JSON.stringify(body))],
  };
}

/** Bytes as the script has them. */
export function prepareBytes({ body, status = 200, headers = {} }: BytesAnswer): OutgoingAnswer {
  const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  return { status, headers, body: encodeRaw(pieces) };
}

/** The id of the exchange that providers send in a header. */
function requestIdOf(requestNumber: number): string {
  return `req_${String(requestNumber).padStart(12, '0')}`;
}

/** The whole message, behind everything that the script has happen before its end. */
function* writeWhole(answer: CompleteAnswer, body: JsonObject, format: UpstreamFormat): Generator<BodyItem> {
  for (const interruption of interruptionsIn(answer)) {
    if (interruption.type === 'wait' || interruption.type === 'end' || interruption.type === 'destroy') {
      yield interruption;
    }
  }
  yield Buffer.from(JSON.stringify(format.writeWhole(answer, body)));
}

function* interruptionsIn({ parts }: CompleteAnswer): Generator<Interruption> {
  for (const part of parts) {
    if ('pieces' in part) {
      for (const piece of part.pieces) if (typeof piece !== 'string') yield piece;
    } else if (part.type !== 'block') yield part;
  }
}

/** No format, so a sign of life is a comment and an error has no shape: only for bodies that were written by hand. */
function encodeRaw(pieces: Exclude<BytesAnswer['body'], string | Uint8Array>): Generator<BodyItem> {
  const error = ({ message }: { readonly message: string }): SseEvent => ({ type: 'event', data: message });
  return encodeEvents(asItems(pieces), {}, { ping: undefined, error });
}

function* asItems(pieces: Iterable<string | Uint8Array | Interruption>): Generator<Interruption> {
  for (const piece of pieces) {
    yield typeof piece === 'string' || piece instanceof Uint8Array ? { type: 'bytes', bytes: piece } : piece;
  }
}
