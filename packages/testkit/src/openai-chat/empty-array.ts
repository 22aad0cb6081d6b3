import { badRequest, type Rejection } from '../upstream/rejection.ts';

/** Returns OpenAI's refusal of an empty list. */
export function emptyArray(param: string): Rejection {
  const expectation = 'Expected an array with minimum length 1, but got an empty array instead.';
  return badRequest(`Invalid '${param}': empty array. ${expectation}`, { param, code: 'empty_array' });
}
