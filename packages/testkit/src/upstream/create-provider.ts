import { parseJson } from '@winnow/text';
import { expandRequest, judgeRequest } from './answer-request.ts';
import { isJsonObject } from './json-object.ts';
import { prepareMessage } from './prepare-message.ts';
import { DEFAULT_RULES, type ProviderRules } from './provider-rules.ts';
import type { RequestContent } from './received-request.ts';
import type { Rejection } from './rejection.ts';
import { ResponseMemory } from './response-memory.ts';
import { routeOf } from './route-of.ts';
import type { MessageAnswer } from './scripted-answer.ts';
import { UPSTREAM_FORMATS } from './upstream-formats.ts';

/** A request to a provider: its path, with the query, and the text of its body. */
export interface ProviderQuestion {
  readonly path: string;
  readonly text: string;
}

/** A provider without a network. */
export interface Provider {
  /** Returns the error with which it refuses a request; undefined for a valid one. */
  judge(question: ProviderQuestion): Rejection | undefined;
  /** Returns the bytes with which it answers a request, whatever it thinks of it. */
  answer(question: ProviderQuestion, message: MessageAnswer): Uint8Array;
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
  return {
    judge: (question) => {
      const request = toRequest(question);
      return judgeRequest(request, expandRequest(request, memory, rules), { rules, rejects: undefined });
    },
    answer: (question, message) => {
      const request = toRequest(question);
      const format = request.route === 'other' ? undefined : UPSTREAM_FORMATS[request.route];
      if (format === undefined || 'writeCount' in format) throw new Error(`no model at ${question.path}`);
      const body = expandRequest(request, memory, rules);
      const requestNumber = count++;
      const { outgoing } = prepareMessage(message, {
        ...{ request, body, memory, requestNumber, format, delivery: {} },
      });
      const pieces = [...outgoing.body].filter((piece) => piece instanceof Uint8Array);
      return Buffer.concat(pieces);
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

function toRequest({ path, text }: ProviderQuestion): RequestContent {
  const json = parseJson(text);
  if (!isJsonObject(json)) throw new Error('the body is no object');
  const bytes = Buffer.from(text);
  return {
    ...{ method: 'POST', path, rawHeaders: [], bytes, text, json, route: routeOf('POST', path) },
    headers: path.startsWith('/v1/messages') ? { ...HEADERS, ...BETAS } : HEADERS,
  };
}
