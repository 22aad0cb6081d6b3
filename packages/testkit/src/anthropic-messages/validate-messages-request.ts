import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest } from '../upstream/upstream-format.ts';
import { findCacheFaults } from './find-cache-faults.ts';
import { findCallFaults } from './find-call-faults.ts';
import { findChoiceFaults } from './find-choice-faults.ts';
import { findContentFaults } from './find-content-faults.ts';
import { findDeferralFaults } from './find-deferral-faults.ts';
import { findMessageFaults } from './find-message-faults.ts';
import { findReferenceFaults } from './find-reference-faults.ts';
import { findThinkingFaults } from './find-thinking-faults.ts';
import { findToolFaults } from './find-tool-faults.ts';

/**
 * The newest is what the official library has sent since its version 1.0; most other clients send that of
 * 2023.
 */
const VERSIONS = ['2023-01-01', '2023-06-01', '2026-10-21'];

/**
 * Returns the error with which Anthropic refuses a Messages request, in the provider's words as far as known;
 * undefined for a valid request.
 *
 * A `count` request needs no `max_tokens`. Names in the history need not be in `tools`. Unknown members of
 * the body are accepted.
 */
export function validateMessagesRequest(
  request: ProviderRequest,
  rules: ProviderRules,
  purpose: 'message' | 'count',
): Rejection | undefined {
  for (const rejection of findFaults(request, rules, purpose)) return rejection;
  return undefined;
}

function* findFaults(
  { headers, json }: ProviderRequest,
  rules: ProviderRules,
  purpose: 'message' | 'count',
): Generator<Rejection> {
  yield* findHeaderFaults(headers);
  if (!isJsonObject(json)) {
    yield badRequest('The request body is not valid JSON.');
    return;
  }
  if (rules.isPlain) yield* findDeferralFaults(json, headers);
  yield* findFrameFaults(json, purpose);
  yield* findMessageFaults(json);
  yield* findContentFaults(json, rules);
  yield* findToolFaults(json, rules);
  yield* findChoiceFaults(json);
  yield* findCallFaults(json);
  yield* findReferenceFaults(json);
  yield* findCacheFaults(json);
  yield* findThinkingFaults(json, { headers, rules });
}

function* findHeaderFaults(headers: IncomingHttpHeaders): Generator<Rejection> {
  if (!headers['x-api-key'] && !headers.authorization) {
    yield { status: 401, message: 'x-api-key header is required' };
  }
  const version = headers['anthropic-version'];
  if (version === undefined) yield badRequest('anthropic-version: header is required');
  else if (!VERSIONS.includes(String(version))) {
    yield badRequest(`anthropic-version: "${version}" is not a valid version`);
  }
}

function* findFrameFaults(body: JsonObject, purpose: 'message' | 'count'): Generator<Rejection> {
  if (typeof body.model !== 'string' || body.model === '') yield badRequest('model: Field required');
  const limit = body.max_tokens;
  if (purpose === 'message') {
    if (limit === undefined || limit === null) yield badRequest('max_tokens: Field required');
    else if (!Number.isInteger(limit)) yield badRequest('max_tokens: Input should be a valid integer');
    else if (Number(limit) < 1) yield badRequest('max_tokens: Input should be greater than or equal to 1');
  }
  if (!Array.isArray(body.messages)) yield badRequest('messages: Field required');
  else if (body.messages.length === 0) yield badRequest('messages: at least one message is required');
}
