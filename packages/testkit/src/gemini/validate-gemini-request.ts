import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest } from '../upstream/upstream-format.ts';
import { findCallFaults } from './find-call-faults.ts';
import { findContentFaults } from './find-content-faults.ts';
import { findSignatureFaults } from './find-signature-faults.ts';
import { findToolFaults } from './find-tool-faults.ts';
import { modelInPath } from './model-in-path.ts';
import { findUnknownNames } from './unknown-names.ts';

const MEMBERS = [
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
  'labels',
  'serviceTier',
  'store',
];

/**
 * Returns the error with which Gemini refuses a request, in the provider's words as far as known; undefined
 * for a valid request.
 */
export function validateGeminiRequest(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  for (const rejection of findFaults(request, request.json, rules)) return rejection;
  return undefined;
}

/** Validates a request to count tokens, of contents or of a whole request. */
export function validateGeminiCount(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  for (const rejection of findFaults(request, countedRequest(request.json), rules)) return rejection;
  return undefined;
}

/** Returns the request whose tokens are to be counted. */
export function countedRequest(json: unknown): unknown {
  if (!isJsonObject(json)) return json;
  return json.generateContentRequest ?? json.generate_content_request ?? json;
}

function* findFaults(
  { headers, path }: ProviderRequest,
  json: unknown,
  rules: ProviderRules,
): Generator<Rejection> {
  const hasKey = /[?&]key=./.test(path);
  if (!headers['x-goog-api-key'] && !headers.authorization && !hasKey) {
    yield {
      status: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    };
  }
  if (!isJsonObject(json)) {
    yield badRequest('Invalid JSON payload received.');
    return;
  }
  yield* findBodyFaults(json, modelInPath(path), rules);
}

function* findBodyFaults(body: JsonObject, model: string, rules: ProviderRules): Generator<Rejection> {
  yield* findUnknownNames(body, MEMBERS, '');
  yield* findContentFaults(body);
  yield* findToolFaults(body);
  yield* findCallFaults(body);
  yield* findSignatureFaults(body, model, rules);
}
