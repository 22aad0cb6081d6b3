import { editResponse, rawMember } from './edit-chunk.ts';

/** What the joined response takes from elsewhere than the last response. */
export interface WholeParts {
  /** The first response, whose id the client gets. */
  readonly first: string;
  /** What all responses said, without searches, as JSON of parts. */
  readonly parts: readonly string[];
  /** What the client is shown of all usages, as JSON; undefined when no response had any. */
  readonly usage: string | undefined;
}

/** Whole responses as one: the last, with the first one's id, what all of them said, and the usage of all. */
export function joinWhole(last: string, { first, parts, usage }: WholeParts): string {
  const id = rawMember(first, 'responseId');
  return editResponse(last, {
    root: {
      ...(id !== undefined && { responseId: id }),
      ...(usage !== undefined && { usageMetadata: usage }),
    },
    // It would say that a function was called.
    candidate: { finishMessage: undefined, ...WITHOUT_TOKENS },
    parts: parts.length > 0 ? parts : [NOTHING_SAID],
  });
}

/** Probabilities of tokens spell out the search. */
export const WITHOUT_TOKENS = { logprobsResult: undefined, avgLogprobs: undefined } as const;

/** A part as the provider itself ends with when a call was all that it said: clients take a content without parts for a fault. */
export const NOTHING_SAID = '{"text":""}';
