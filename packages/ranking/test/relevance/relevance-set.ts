import type { Tool } from '@winnow/core';

/** A small catalogue in one language, and queries as people type them with the tool that each must find. */
export interface RelevanceSet {
  readonly title: string;
  readonly tools: readonly Tool[];
  readonly queries: readonly RelevanceQuery[];
}

export interface RelevanceQuery {
  readonly query: string;
  /** Name of the tool that is meant. */
  readonly gold: string;
  /** The reason why this tool alone matches the query, or the difficulty in finding it. */
  readonly why: string;
  /** The gold tool must be among the first `within`: 1 unless `why` gives the reason for more. */
  readonly within?: number;
}
