import { decodePercent } from '@winnow/core';
import type { Route } from '../format/request-reader.ts';
import type { Purpose } from '../format/view.ts';

/** The facts in the path of a request: the body has neither the model nor a stream flag. */
export interface RequestTarget {
  readonly purpose: Purpose;
  readonly isStream: boolean;
  /** The last part of the resource's name, such as `gemini-3-pro-preview`. */
  readonly model: string;
}

/**
 * Returns the method and model of a path; undefined for another method of the API. Matches
 * `…/models/{model}:generateContent` under any prefix, and the same for tuned models and Vertex endpoints.
 * The colon may be escaped.
 *
 * Source: https://ai.google.dev/api/generate-content
 */
export function readTarget(path: string): RequestTarget | undefined {
  const [, model = '', method = ''] = TARGET.exec(path) ?? [];
  const asked = METHODS.get(method);
  return asked && { ...asked, model: decodePercent(model) };
}

const TARGET = /\/(?:models|tunedModels|endpoints)\/([^/]+?)(?::|%3a)([A-Za-z]+)\/?$/i;

/**
 * The routes `POST …/models/{model}:generateContent`, `:streamGenerateContent` and `:countTokens`, under any
 * prefix.
 */
export const ROUTES: readonly Route[] = [
  [
    /\/(?i:models|tunedModels|endpoints)\/[^/]+?(?::|%3[aA])(?:generateContent|streamGenerateContent)\/?$/,
    'answer',
  ],
  [/\/(?i:models|tunedModels|endpoints)\/[^/]+?(?::|%3[aA])countTokens\/?$/, 'count_tokens'],
];

const METHODS: ReadonlyMap<string, Omit<RequestTarget, 'model'>> = new Map([
  ['generateContent', { purpose: 'answer', isStream: false }],
  ['streamGenerateContent', { purpose: 'answer', isStream: true }],
  ['countTokens', { purpose: 'count_tokens', isStream: false }],
]);
