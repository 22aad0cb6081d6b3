import type { IncomingHttpHeaders } from 'node:http';
import type { Conversation, IdPrefixes } from '../model/conversation.ts';
import type { CompleteAnswer } from './complete-answer.ts';
import type { StreamSigns } from './encode-events.ts';
import type { JsonObject } from './json-object.ts';
import type { ProviderRules } from './provider-rules.ts';
import type { Rejection } from './rejection.ts';
import type { ResponseMemory } from './response-memory.ts';
import type { StreamFraming } from './stream-framing.ts';
import type { StreamItem } from './stream-item.ts';

/** A request as a format sees it. */
export interface ProviderRequest {
  /** With the query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
}

/**
 * A provider's wire format, played from the provider's side.
 *
 * Contract: pure and stateless, so that a request is judged by what it says alone, and by what it refers to in the memory that it is given. The writing and reading functions are
 * called with bodies that `validate` has passed, or that the test wants answered all the same.
 */
export interface UpstreamFormat {
  /** Ends of the paths on which it is spoken, so that deployments and base URLs with a path of their own are known as well. */
  readonly pathEnds: readonly string[];
  /** Of its streams. */
  readonly framing: StreamFraming;
  /** The same, where it depends on the request. */
  framingOf?(request: ProviderRequest): StreamFraming;
  /** The model that is asked, where the body does not say. */
  modelOf?(request: ProviderRequest): string;
  readonly idPrefixes: IdPrefixes;
  readonly signs: StreamSigns;
  /** What the provider would refuse the request for; undefined when it would not. */
  validate(request: ProviderRequest, rules: ProviderRules): Rejection | undefined;
  /** The body of an error. */
  writeError(rejection: Rejection, requestId: string): JsonObject;
  /** Headers that the provider puts on every answer. */
  writeHeaders(requestId: string): Record<string, string>;
  /** Whether a request is to be answered by a stream. */
  wantsStream(request: ProviderRequest): boolean;
  /** The message as one body. */
  writeWhole(answer: CompleteAnswer, body: JsonObject): JsonObject;
  /** The message as a stream, its pieces read lazily. */
  writeStream(answer: CompleteAnswer, body: JsonObject): Iterable<StreamItem>;
  /** What a model sees of the request. */
  readConversation(body: JsonObject): Conversation;
  /** A request as the model reads it, with what the provider has stored; the request itself without this function. */
  expand?(json: JsonObject, headers: IncomingHttpHeaders, memory: ResponseMemory): JsonObject;
  /** Stores an answer, where requests may go on from it. */
  remember?(answer: CompleteAnswer, body: JsonObject, memory: ResponseMemory): void;
  /** What a request is answered that asks no model; undefined when it is none of this format's. */
  answerOther?(request: OtherRequest, memory: ResponseMemory): JsonObject | Rejection | undefined;
}

/** A request that asks no model. */
export interface OtherRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** The side of a format that counts the tokens of a request, and has no model answer it. */
export interface UpstreamCounter
  extends Pick<UpstreamFormat, 'pathEnds' | 'validate' | 'writeError' | 'writeHeaders'> {
  writeCount(body: JsonObject): JsonObject;
}
