import type { ServerResponse } from 'node:http';
import { ANTHROPIC_MESSAGES } from '../anthropic-messages/anthropic-messages.ts';
import { GEMINI } from '../gemini/gemini.ts';
import { GEMINI_INTERACTIONS } from '../gemini-interactions/gemini-interactions.ts';
import { OPENAI_CHAT } from '../openai-chat/openai-chat.ts';
import { OPENAI_RESPONSES, WITHHOLDS } from '../openai-responses/openai-responses.ts';
import type { ProgressKeeper } from './answer-progress.ts';
import type { ChooseAnswer } from './choose-answer.ts';
import { deliver } from './deliver.ts';
import type { Delivery } from './delivery.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { prepareBytes } from './prepare-bytes.ts';
import { prepareError } from './prepare-error.ts';
import { prepareJson } from './prepare-json.ts';
import { prepareMessage } from './prepare-message.ts';
import type { ProviderRules } from './provider-rules.ts';
import type { RequestContent } from './received-request.ts';
import type { Rejection } from './rejection.ts';
import type { ResponseMemory } from './response-memory.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import type { UpstreamCounter, UpstreamFormat } from './upstream-format.ts';
import { UPSTREAM_FORMATS } from './upstream-formats.ts';

/** Rules for judging a request. */
export interface Judgement {
  readonly rules: ProviderRules;
  /** A test's own reason to refuse; checked first. */
  readonly rejects: ((request: RequestContent) => Rejection | undefined) | undefined;
}

/**
 * Returns the error with which the provider or the test refuses the request. The provider never refuses paths
 * that ask no model.
 */
export function judgeRequest(
  request: RequestContent,
  body: unknown,
  { rules, rejects }: Judgement,
): Rejection | undefined {
  const own = rejects?.(request);
  if (own !== undefined || request.route === 'other') return own;
  return UPSTREAM_FORMATS[request.route].validate({ ...request, json: body }, rules);
}

/** Returns a request's JSON as the model reads it, with references resolved. */
export function expandRequest(
  { route, json, headers }: RequestContent,
  memory: ResponseMemory,
  rules: ProviderRules,
): unknown {
  if (!isJsonObject(json)) return json;
  if (route === 'gemini-interactions') return GEMINI_INTERACTIONS.expand!(json, headers, memory);
  if (route !== 'openai-responses' && route !== 'openai-input-tokens') return json;
  return {
    ...OPENAI_RESPONSES.expand!(json, headers, memory),
    [WITHHOLDS]: rules.bindsReasoning === 'withhold',
  };
}

/** Context for sending a response. */
export interface Exchange {
  readonly request: RequestContent;
  /** The request's JSON as the model reads it. */
  readonly body: unknown;
  readonly memory: ResponseMemory;
  readonly requestNumber: number;
  /** The reason to refuse the request; undefined to let the script respond. */
  readonly rejection: Rejection | undefined;
  readonly response: ServerResponse;
  readonly keeper: ProgressKeeper;
  readonly choose: ChooseAnswer;
  /** The delivery of responses that do not specify one. */
  readonly delivery: Delivery;
}

/**
 * Responds to one request: with its rejection, a token count, an echo, or a response of the script or the
 * model.
 */
export async function answerRequest(exchange: Exchange): Promise<void> {
  const { request, requestNumber, rejection } = exchange;
  const { route } = request;
  if (rejection !== undefined) {
    const error = prepareError(rejection, { requestNumber, format: errorFormatOf(request) });
    await deliver(error, { ...exchange, delivery: {} });
  } else if (route === 'other') {
    await answerOther(exchange);
  } else await answerFormat(UPSTREAM_FORMATS[route], exchange);
}

async function answerFormat(format: UpstreamFormat | UpstreamCounter, exchange: Exchange): Promise<void> {
  const { request, choose, body } = exchange;
  if ('writeCount' in format) {
    const counted = isJsonObject(request.json) ? request.json : {};
    return deliver(prepareJson(format.writeCount(counted)), exchange);
  }
  const scripted = await choose(request, format, body);
  const { delivery = exchange.delivery } = scripted;
  return sendScripted(scripted, format, { ...exchange, delivery });
}

/**
 * Handles paths that ask no model: stored responses, or an echo for paths that the proxy must leave alone.
 */
async function answerOther(exchange: Exchange): Promise<void> {
  const { request, memory, requestNumber } = exchange;
  for (const format of [OPENAI_RESPONSES, GEMINI_INTERACTIONS]) {
    const answer = format.answerOther!(request, memory);
    if (answer === undefined) continue;
    const isRejection = typeof answer.status === 'number';
    const outgoing = isRejection
      ? prepareError(answer as Rejection, { requestNumber, format })
      : prepareJson(answer as JsonObject);
    return deliver(outgoing, exchange);
  }
  await deliver(prepareJson(echoOf(request)), exchange);
}

async function sendScripted(
  scripted: ScriptedAnswer,
  format: UpstreamFormat,
  exchange: Exchange,
): Promise<void> {
  const { keeper, requestNumber } = exchange;
  switch (scripted.kind) {
    case 'message': {
      const { outgoing, usage } = prepareMessage(scripted, { ...exchange, format });
      keeper.reported(usage);
      return deliver(outgoing, exchange);
    }
    case 'bytes':
      return deliver(prepareBytes(scripted), exchange);
    case 'error': {
      const { headers = {}, message = `The script answers with ${scripted.status}.`, ...error } = scripted;
      return deliver(prepareError({ ...error, message }, { requestNumber, format, headers }), exchange);
    }
    case 'hang-up':
      return hangUp(exchange);
  }
}

async function hangUp({ response, keeper, delivery: { headersAfter } }: Exchange): Promise<void> {
  headersAfter?.reach();
  await Promise.race([headersAfter?.opened, keeper.progress.ended]);
  keeper.brokenOff();
  response.destroy();
}

/** Echoes the request, for paths that the proxy must leave alone. */
function echoOf({ method, path, headers, text }: RequestContent): Record<string, unknown> {
  return { method, path, headers, body: text };
}

/** Paths that belong to no format respond like the provider of the requesting client. */
function errorFormatOf({ route, headers }: RequestContent): UpstreamFormat | UpstreamCounter {
  if (route !== 'other') return UPSTREAM_FORMATS[route];
  if (headers['x-goog-api-key'] !== undefined) return GEMINI;
  return headers['anthropic-version'] === undefined ? OPENAI_CHAT : ANTHROPIC_MESSAGES;
}
