import type { IncomingHttpHeaders } from 'node:http';
import { parseJson } from '@winnow/core';
import type { Model } from '../model/model.ts';
import { expandRequest, judgeRequest } from './answer-request.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { OutgoingAnswer } from './outgoing-answer.ts';
import { prepareError } from './prepare-error.ts';
import { prepareMessage } from './prepare-message.ts';
import { DEFAULT_RULES, type ProviderRules } from './provider-rules.ts';
import type { RequestContent } from './received-request.ts';
import type { Rejection } from './rejection.ts';
import { ResponseMemory } from './response-memory.ts';
import { routeOf } from './route-of.ts';
import type { MessageAnswer } from './scripted-answer.ts';
import type { UpstreamFormat } from './upstream-format.ts';
import { UPSTREAM_FORMATS } from './upstream-formats.ts';

/** A request to a provider: its path, with the query, and the text of its body. */
export interface ProviderQuestion {
  readonly path: string;
  readonly text: string;
  /** Default: those of any client that may use every feature. */
  readonly headers?: IncomingHttpHeaders;
}

/** A provider without a network. */
export interface Provider {
  /** Returns the error with which it refuses a request; undefined for a valid one. */
  judge(question: ProviderQuestion): Rejection | undefined;
  /** Returns the bytes with which it answers a request, whatever it thinks of it. */
  answer(question: ProviderQuestion, message: MessageAnswer): Uint8Array;
  /** Returns the response to a request, with its status, its headers and the bytes of each event. */
  write(question: ProviderQuestion, message: MessageAnswer): OutgoingAnswer;
  /** Returns the response with which it refuses a request. */
  refuse(question: ProviderQuestion, rejection: Rejection): OutgoingAnswer;
  /** Judges a request, and has the model answer it if it is valid. */
  converse(question: ProviderQuestion, model: Model): Promise<OutgoingAnswer>;
}

/**
 * Creates a provider for all formats that is as strict as that of `startUpstream`.
 *
 * Contract: ids follow the number of its answers, so no two of them share one.
 */
export function createProvider(changes: Partial<ProviderRules> = {}): Provider {
  const rules = { ...DEFAULT_RULES, ...changes };
  const memory = new ResponseMemory();
  let count = 0;
  const write = (question: ProviderQuestion, message: MessageAnswer): OutgoingAnswer => {
    const request = toRequest(question);
    const format = request.route === 'other' ? undefined : UPSTREAM_FORMATS[request.route];
    if (format === undefined || 'writeCount' in format) throw new Error(`no model at ${question.path}`);
    const body = expandRequest(request, memory, rules);
    const requestNumber = count++;
    return prepareMessage(message, { request, body, memory, requestNumber, format, delivery: {} }).outgoing;
  };
  const judge = (question: ProviderQuestion): Rejection | undefined => {
    const request = toRequest(question);
    return judgeRequest(request, expandRequest(request, memory, rules), { rules, rejects: undefined });
  };
  const refuse = (question: ProviderQuestion, rejection: Rejection): OutgoingAnswer => {
    const { route } = toRequest(question);
    const format = UPSTREAM_FORMATS[route === 'other' ? 'openai-chat' : route];
    return prepareError(rejection, { requestNumber: count++, format });
  };
  return {
    judge,
    refuse,
    write,
    answer: (question, message) => {
      const pieces = [...write(question, message).body].filter((piece) => piece instanceof Uint8Array);
      return Buffer.concat(pieces);
    },
    converse: async (question, model) => {
      const rejection = judge(question);
      if (rejection !== undefined) return refuse(question, rejection);
      const request = toRequest(question);
      const body = expandRequest(request, memory, rules);
      const format = UPSTREAM_FORMATS[request.route as 'openai-chat'] as UpstreamFormat;
      const message = await model(format.readConversation(body as JsonObject), request);
      if (message.kind !== 'message') throw new Error('the model must answer with a message');
      return write(question, message);
    },
  };
}

/** The headers of any client that may use every feature. */
const HEADERS = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  authorization: 'Bearer key',
  'x-api-key': 'key',
  'x-goog-api-key': 'key',
};

/** Bedrock takes betas in the body. */
const BETAS = { 'anthropic-beta': 'advanced-tool-use-2025-11-20' };

function toRequest({ path, text, headers = headersFor(path) }: ProviderQuestion): RequestContent {
  const json = parseJson(text);
  if (!isJsonObject(json)) throw new Error('the body is no object');
  const bytes = Buffer.from(text);
  return {
    ...{ method: 'POST', path, rawHeaders: [], bytes, text, json, route: routeOf('POST', path) },
    headers,
  };
}

function headersFor(path: string): IncomingHttpHeaders {
  return path.startsWith('/v1/messages') ? { ...HEADERS, ...BETAS } : HEADERS;
}
