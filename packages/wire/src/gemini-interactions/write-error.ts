import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/** An error's word and message. */
export interface InteractionError {
  readonly code: string;
  readonly message: string;
}

/** Words for errors by their status, as far as they are known; others are about the request, or the provider's own. Source: https://ai.google.dev/gemini-api/docs/interactions/streaming */
const CODES: ReadonlyMap<number, string> = new Map([
  [401, 'unauthenticated'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [429, 'resource_exhausted'],
  [503, 'unavailable'],
  [504, 'gateway_timeout'],
]);

/** An error of Winnow's own, or in place of one that may not be shown. */
export function errorOf(status: number, message: string): InteractionError {
  return { code: CODES.get(status) ?? (status < 500 ? 'invalid_request' : 'internal_error'), message };
}

/** The error within a body, undefined when it is none. Servers in front of the API write Google's other shape, with a number as the code. */
export function errorIn(body: string | undefined): InteractionError | undefined {
  const read = body === undefined ? undefined : parseJson(body);
  const error = isJsonObject(read) ? read.error : undefined;
  if (!isJsonObject(error) || typeof error.message !== 'string') return undefined;
  const { code, status, message } = error;
  const word = typeof code === 'string' ? code : String(status ?? 'internal_error').toLowerCase();
  return { code: word, message };
}
