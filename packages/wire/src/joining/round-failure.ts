import type { RoundFailure } from '../format/response-joiner.ts';

const MESSAGES: Readonly<Record<RoundFailure['reason'], string>> = {
  truncated: 'The response ended before it was complete.',
  upstream_error: 'The upstream reported an error in its response.',
  malformed_answer: 'The upstream sent a body that is not a valid response.',
  held_too_much: 'The response is too long to be completed.',
  interrupted: 'The response could not be completed.',
};

/** Returns the failure of a round for this reason, with a message for people. */
export function roundFailure(reason: RoundFailure['reason']): RoundFailure {
  return { kind: 'failed', reason, message: MESSAGES[reason] };
}
