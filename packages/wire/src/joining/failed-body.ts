import type { RoundFailure } from '../format/response-joiner.ts';
import { parseObject } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import type { ProxyError } from '../vendors/vendor.ts';
import type { PartState } from './part-state.ts';

/** Returns Winnow's own error for a failed round. */
export function ownError({ refusal, message }: RoundFailure): ProxyError {
  return { status: refusal?.status ?? 502, message };
}

/** Errors for the body of a response that failed, as JSON. */
export interface ErrorBodies {
  readonly own: string;
  /** The upstream's error if it has the format's shape. */
  readonly sent: string | undefined;
}

/**
 * Returns the body of a response that failed: the upstream's error, unless it names a hidden tool. The client
 * gets a first body that is not a response unchanged, as it would without Winnow.
 */
export function failedBody(
  { rounds, body }: Pick<PartState<unknown>, 'rounds' | 'body'>,
  { reason }: RoundFailure,
  { own, sent }: ErrorBodies,
  hidden: HiddenNames,
): string {
  const text = (reason === 'malformed_answer' && rounds === 1 ? body : sent) ?? own;
  return hidden.areIn(text) ? own : text;
}

/** Returns a body that has an error; undefined for a body of another shape. */
export function errorIn(body: string | undefined): string | undefined {
  return isJsonObject(parseObject(body ?? '')?.error) ? body : undefined;
}
