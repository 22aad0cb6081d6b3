import type { ServerResponse } from 'node:http';
import type { ANTHROPIC_COUNT_TOKENS } from '../anthropic-messages/anthropic-count-tokens.ts';
import { ANTHROPIC_MESSAGES } from '../anthropic-messages/anthropic-messages.ts';
import { countPromptTokens } from '../anthropic-messages/count-prompt-tokens.ts';
import { OPENAI_CHAT } from '../openai-chat/openai-chat.ts';
import type { ProgressKeeper } from './answer-progress.ts';
import type { ChooseAnswer } from './choose-answer.ts';
import { deliver } from './deliver.ts';
import type { Delivery } from './delivery.ts';
import { isJsonObject } from './json-object.ts';
import { prepareBytes } from './prepare-bytes.ts';
import { prepareError } from './prepare-error.ts';
import { prepareJson } from './prepare-json.ts';
import { prepareMessage } from './prepare-message.ts';
import type { ProviderRules } from './provider-rules.ts';
import type { RequestContent } from './received-request.ts';
import type { Rejection } from './rejection.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import type { UpstreamFormat } from './upstream-format.ts';
import { UPSTREAM_FORMATS } from './upstream-formats.ts';

/** How a request is judged. */
export interface Judgement {
  readonly rules: ProviderRules;
  /** A test's own reason to refuse; asked first. */
  readonly rejects: ((request: RequestContent) => Rejection | undefined) | undefined;
}

/** What the provider, or the test, refuses the request for. Paths that ask no model are never refused by the provider. */
export function judgeRequest(request: RequestContent, { rules, rejects }: Judgement): Rejection | undefined {
  const own = rejects?.(request);
  if (own !== undefined || request.route === 'other') return own;
  return UPSTREAM_FORMATS[request.route].validate(request, rules);
}

/** What an answer is made and sent with. */
export interface Exchange {
  readonly request: RequestContent;
  readonly requestNumber: number;
  /** What the request is refused for; undefined lets the script answer. */
  readonly rejection: Rejection | undefined;
  readonly response: ServerResponse;
  readonly keeper: ProgressKeeper;
  readonly choose: ChooseAnswer;
  /** How answers travel that say nothing about it. */
  readonly delivery: Delivery;
}

/** Answers one request: with its rejection, a count, an echo, or what the script or the model has for it. */
export async function answerRequest(exchange: Exchange): Promise<void> {
  const { request, requestNumber, rejection, choose } = exchange;
  const { route } = request;
  if (rejection !== undefined) {
    const error = prepareError(rejection, { requestNumber, format: errorFormatOf(request) });
    await deliver(error, { ...exchange, delivery: {} });
  } else if (route === 'other') {
    await deliver(prepareJson(echoOf(request)), exchange);
  } else if (route === 'anthropic-count-tokens') {
    const body = isJsonObject(request.json) ? request.json : {};
    await deliver(prepareJson({ input_tokens: countPromptTokens(body) }), exchange);
  } else {
    const scripted = await choose(request, UPSTREAM_FORMATS[route]);
    const { delivery = exchange.delivery } = scripted;
    await sendScripted(scripted, UPSTREAM_FORMATS[route], { ...exchange, delivery });
  }
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

/** What arrived, for paths that the proxy is to leave alone. */
function echoOf({ method, path, headers, text }: RequestContent): Record<string, unknown> {
  return { method, path, headers, body: text };
}

/** Paths of no format speak like the provider whose client is asking. */
function errorFormatOf({ route, headers }: RequestContent): UpstreamFormat | typeof ANTHROPIC_COUNT_TOKENS {
  if (route !== 'other') return UPSTREAM_FORMATS[route];
  return headers['anthropic-version'] === undefined ? OPENAI_CHAT : ANTHROPIC_MESSAGES;
}
