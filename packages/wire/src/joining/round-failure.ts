import type { RoundFailure } from '../format/response-joiner.ts';

const MESSAGES: Readonly<Record<RoundFailure['reason'], string>> = {
  truncated: 'The answer ended before it was complete.',
  upstream_error: 'The upstream reported an error within its answer.',
  malformed_answer: 'The upstream sent something that is no answer.',
  held_too_much: 'The answer is too long to be completed.',
  interrupted: 'The answer could not be completed.',
};

/** A round that failed for this reason, with a message for people. */
export function roundFailure(reason: RoundFailure['reason']): RoundFailure {
  return { kind: 'failed', reason, message: MESSAGES[reason] };
}
