import { readUpTo } from '../http/read-up-to.ts';
import { UpstreamBody } from '../http/upstream-body.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';

/** Maximum size of an error to read, in bytes. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** The statuses and words of one kind of refusal. */
export interface RefusalWords {
  readonly statuses: readonly number[];
  readonly words: RegExp;
}

/** Whether a refusal is of that kind, with the same response, which can still be read. */
export interface JudgedRefusal {
  readonly isMeant: boolean;
  readonly response: UpstreamResponse;
}

/**
 * Reads whether an error is a refusal of that kind. Without any words to look for, the result is false and
 * nothing is read.
 */
export async function judgeRefusal(
  response: UpstreamResponse,
  kind: RefusalWords | undefined,
): Promise<JudgedRefusal> {
  if (!kind?.statuses.includes(response.status)) return { isMeant: false, response };
  const body = new UpstreamBody({ pause: () => {}, resume: () => {}, abort: () => {} });
  let refusal: Buffer = Buffer.alloc(0);
  try {
    refusal = await readUpTo(response.body, MAX_ERROR_BYTES);
    body.push(refusal);
    body.finish();
  } catch (error) {
    body.fail(error as Error);
  }
  return { isMeant: kind.words.test(refusal.toString('utf8')), response: { ...response, body } };
}
