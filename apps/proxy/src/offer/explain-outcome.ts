import type { RegistryCallOutcome } from '@winnow/core';
import type { ReadResult } from './read-result.ts';

/** Outcomes without a text from the registry that a model could read. */
export type UnsaidOutcome = Exclude<
  RegistryCallOutcome,
  'ok' | 'tool_error' | 'not_read_only' | 'input_required'
>;

/** Returns the text that tells the model about a failed call, so that it can continue or tell its user. */
export function explain(outcome: UnsaidOutcome): ReadResult {
  return { outcome, text: `${outcome}: ${TEXTS[outcome]}` };
}

const GO_ON = 'Go on without it, and tell the user what you could not look up.';

const TEXTS: Readonly<Record<UnsaidOutcome, string>> = {
  invalid_arguments: 'The arguments are no JSON object. Call again with the arguments as an object.',
  limit: 'No further calls of these tools are possible in this answer. Answer with what you have.',
  forbidden: `These tools may not be used in this conversation. ${GO_ON}`,
  unreachable: `The tool could not be reached. ${GO_ON}`,
  timed_out: `The tool did not answer in time. Ask it for less, or go on without it.`,
  bad_answer: `What the tool answered cannot be read. ${GO_ON}`,
  circuit_open: `The tools cannot be reached at the moment. ${GO_ON}`,
  client_gone: 'The call was given up.',
};
