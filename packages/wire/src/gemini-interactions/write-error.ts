import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/** An error's code and message. */
export interface InteractionError {
  readonly code: string;
  readonly message: string;
}

/**
 * The known error codes by status; other errors are the request's or the provider's. Source:
 * https://ai.google.dev/gemini-api/docs/interactions/streaming
 */
const CODES: ReadonlyMap<number, string> = new Map([
  [401, 'unauthenticated'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [429, 'resource_exhausted'],
  [503, 'unavailable'],
  [504, 'gateway_timeout'],
]);

/** Returns an error of Winnow's own, or a replacement for one that the client must not see. */
export function errorOf(status: number, message: string): InteractionError {
  return { code: CODES.get(status) ?? (status < 500 ? 'invalid_request' : 'internal_error'), message };
}

/**
 * Returns the error in a body; undefined when there is none. Servers in front of the API write Google's other
 * shape, with a number as the code.
 */
export function errorIn(body: string | undefined): InteractionError | undefined {
  const read = body === undefined ? undefined : parseJson(body);
  const error = isJsonObject(read) ? read.error : undefined;
  if (!isJsonObject(error) || typeof error.message !== 'string') return undefined;
  const { code, status, message } = error;
  const word = typeof code === 'string' ? code : String(status ?? 'internal_error').toLowerCase();
  return { code: word, message };
}
