import { type CompleteAnswer, completeAnswer } from './complete-answer.ts';
import type { Delivery } from './delivery.ts';
import type { Interruption } from './interruption.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { OutgoingAnswer } from './outgoing-answer.ts';
import { prepareError } from './prepare-error.ts';
import { prepareJson } from './prepare-json.ts';
import { providerRequestId } from './provider-request-id.ts';
import type { RequestContent } from './received-request.ts';
import type { ResponseMemory } from './response-memory.ts';
import type { MessageAnswer, Usage } from './scripted-answer.ts';
import type { StreamFraming } from './stream-framing.ts';
import type { UpstreamFormat } from './upstream-format.ts';

/** Context for writing a message. */
export interface MessageContext {
  readonly request: RequestContent;
  /** The request's JSON as the model reads it. */
  readonly body: unknown;
  readonly memory: ResponseMemory;
  readonly requestNumber: number;
  readonly format: UpstreamFormat;
  readonly delivery: Delivery;
}

/** A message that is ready to be sent, with the tokens that it reports. */
export interface PreparedMessage {
  readonly outgoing: OutgoingAnswer;
  readonly usage: Usage;
}

/**
 * Writes a message in the request's format, as a stream if requested.
 *
 * Without a stream, a failure scripted for the middle of the stream becomes the response itself.
 */
export function prepareMessage(scripted: MessageAnswer, context: MessageContext): PreparedMessage {
  const { request, requestNumber, format, delivery, memory } = context;
  const sent = isJsonObject(request.json) ? request.json : {};
  const body = isJsonObject(context.body) ? context.body : {};
  const model = format.modelOf?.(request) ?? String(sent.model);
  const answer = completeAnswer(scripted, { requestNumber, body: sent, model, prefixes: format.idPrefixes });
  format.remember?.(answer, body, memory);
  const headers = { ...format.writeHeaders(providerRequestId(requestNumber)), ...scripted.headers };
  const outgoing = format.wantsStream(request)
    ? writeStream(answer, { body, format, framing: format.framingOf?.(request) ?? format.framing, delivery })
    : (writeInterruptingError(answer, context) ?? writeWhole(answer, { body, format }));
  return { outgoing: { ...outgoing, headers: { ...outgoing.headers, ...headers } }, usage: answer.usage };
}

interface WritingContext extends Pick<MessageContext, 'format'> {
  readonly body: JsonObject;
}

interface StreamContext extends Pick<MessageContext, 'delivery'> {
  readonly framing: StreamFraming;
}

function writeStream(
  answer: CompleteAnswer,
  { body, format, framing, delivery }: WritingContext & StreamContext,
): OutgoingAnswer {
  return {
    status: 200,
    headers: { 'content-type': framing.contentType },
    body: framing.encode(format.writeStream(answer, body), delivery, format.signs),
  };
}

/** Returns the error that the script has in the middle of its message. */
function writeInterruptingError(answer: CompleteAnswer, context: MessageContext): OutgoingAnswer | undefined {
  const error = interruptionsIn(answer).find((interruption) => interruption.type === 'error');
  return error && prepareError({ ...error, status: 500 }, context);
}

/** Returns the whole message after all interruptions that the script has before its end. */
function writeWhole(answer: CompleteAnswer, { body, format }: WritingContext): OutgoingAnswer {
  const written = prepareJson(format.writeWhole(answer, body));
  const delays = interruptionsIn(answer).filter(
    (interruption) =>
      interruption.type === 'wait' || interruption.type === 'end' || interruption.type === 'destroy',
  );
  return { ...written, body: [...delays, ...written.body] };
}

function interruptionsIn({ parts }: CompleteAnswer): Interruption[] {
  return parts.flatMap((part) => {
    if ('pieces' in part) return [...part.pieces].filter((piece) => typeof piece !== 'string');
    return part.type === 'block' ? [] : [part];
  });
}
