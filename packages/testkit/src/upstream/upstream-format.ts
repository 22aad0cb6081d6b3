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
  /** Includes the query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/**
 * The provider's side of a wire format.
 *
 * Contract: pure and stateless: a request is judged only by its content and by the memory that it refers to.
 * The writing and reading functions receive bodies that `validate` has passed, or to which the test wants a
 * response regardless.
 */
export interface UpstreamFormat {
  /**
   * Path suffixes of the format, so that deployments and base URLs with a path of their own match as well.
   */
  readonly pathEnds: readonly string[];
  /** The framing of its streams. */
  readonly framing: StreamFraming;
  /** The framing, if it depends on the request. */
  framingOf?(request: ProviderRequest): StreamFraming;
  /** The requested model, if the body does not name it. */
  modelOf?(request: ProviderRequest): string;
  readonly idPrefixes: IdPrefixes;
  readonly signs: StreamSigns;
  /** Returns the error with which the provider would refuse the request; undefined for a valid one. */
  validate(request: ProviderRequest, rules: ProviderRules): Rejection | undefined;
  /** Writes the body of an error. */
  writeError(rejection: Rejection, requestId: string): JsonObject;
  /** Headers that the provider adds to every response. */
  writeHeaders(requestId: string): Record<string, string>;
  /** Whether a request is to be streamed. */
  wantsStream(request: ProviderRequest): boolean;
  /** Writes the message as one body. */
  writeWhole(answer: CompleteAnswer, body: JsonObject): JsonObject;
  /** Writes the message as a stream; pieces are read lazily. */
  writeStream(answer: CompleteAnswer, body: JsonObject): Iterable<StreamItem>;
  /** Returns a model's view of the request. */
  readConversation(body: JsonObject): Conversation;
  /**
   * Returns a request as the model reads it, with the provider's stored data. Without this function: the
   * request itself.
   */
  expand?(json: JsonObject, headers: IncomingHttpHeaders, memory: ResponseMemory): JsonObject;
  /** Stores a response, if requests may continue it. */
  remember?(answer: CompleteAnswer, body: JsonObject, memory: ResponseMemory): void;
  /** Returns the response to a request that asks no model; undefined if the request is not one of these. */
  answerOther?(request: OtherRequest, memory: ResponseMemory): JsonObject | Rejection | undefined;
}

/** A request that asks no model. */
export interface OtherRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** The part of a format that counts the tokens of a request without asking a model. */
export interface UpstreamCounter
  extends Pick<UpstreamFormat, 'pathEnds' | 'validate' | 'writeError' | 'writeHeaders'> {
  writeCount(body: JsonObject): JsonObject;
}
